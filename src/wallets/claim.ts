import type {
  IdempotencyFinding,
  IdempotentAnswer,
  IdempotentRequest,
  MadeAgain,
} from '../account/idempotent-request.ts';
import { type ServiceError, serviceError, toServiceError } from '../base/service-error.ts';
import type { StoreTransaction } from '../store/open-store.ts';
import { transact } from './transact.ts';
import type { WalletPlaces } from './wallet-places.ts';

/** A request with an Idempotency-Key, or without one: then every function does nothing. */
export type Claim = {
  /** The right to finish it, which money is set aside under; undefined without a key. */
  readonly id: string | undefined;
  /** What wallets carry that the request makes, so that a repetition finds them; undefined without a key. */
  readonly workId: string | undefined;
  /** `begun`: wallets of an earlier try may be there. `done`: all of them are, and the answer is told again. */
  readonly state: 'new' | 'begun' | 'done';
  /** Where what an earlier request was charged and did not deliver is made again, free of charge; undefined otherwise. */
  readonly again: { readonly charged: number; readonly received: number } | undefined;
  /** Keeps the answer, in the transaction that commits the last of the work. */
  readonly finish: (tx: StoreTransaction, body: IdempotentAnswer['body']) => Promise<void>;
  /** Ends work that is not finished: what it has committed stays for the next try, and without any the key is given back. */
  readonly leave: () => Promise<void>;
  /**
   * To be called last, whatever went wrong before: the request may be sent again from now on or, where its answer is not kept, when its
   * response has ended.
   */
  readonly end: () => void;
};

/** A claim, or the answer of the first request. */
export type Claimed =
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'replay'; readonly bytes: Uint8Array };

export type KeyedRequest = {
  readonly accountId: string;
  /** As `readIdempotencyKey` gave it. */
  readonly key: string;
  /** Everything that the outcome depends on. */
  readonly parts: readonly string[];
  /** The status of its success. */
  readonly status: number;
  readonly whenDelivered: WhenDelivered;
  /** Where it asks for what an earlier request did not deliver. */
  readonly again: Repetition | undefined;
};

/** Does something when the response has ended. It is told whether the client was seen to take the response whole. */
export type WhenDelivered = (work: (isDrained: boolean) => Promise<void>) => void;

export type Repetition = Pick<MadeAgain, 'received' | 'free'> & {
  /** The parts of the requests that it may be the repetition of. */
  readonly parts: readonly (readonly string[])[];
  /** Puts it on record. */
  readonly record: (tx: StoreTransaction, units: number) => Promise<void>;
};

/** The claim of a request without a key. */
export const NO_CLAIM: Claim = {
  id: undefined,
  workId: undefined,
  state: 'new',
  again: undefined,
  finish: async () => undefined,
  leave: async () => undefined,
  end: () => undefined,
};

/**
 * Claims the key of a request, before the work begins.
 *
 * @throws ServiceError `idempotencyKeyInUse`, `idempotencyKeyReused`, `idempotencySecretNotKept`, and of a repetition
 *   `idempotencyNothingCharged`, `walletsReceivedInvalid`.
 */
export async function claimKey(places: WalletPlaces, request: KeyedRequest): Promise<Claimed> {
  const finding = await begin(places, request);
  if (finding.kind === 'replay') return { kind: 'replay', bytes: finding.body };
  if (!('workId' in finding)) throw refusal(finding);
  const { workId } = finding;
  if (finding.kind === 'retold') return { kind: 'claim', claim: { ...NO_CLAIM, workId, state: 'done' } };
  return { kind: 'claim', claim: toClaim(places, request, finding) };
}

type Begun = Extract<IdempotencyFinding, { claim: unknown }>;

function toClaim(
  places: WalletPlaces,
  { status, whenDelivered, again }: KeyedRequest,
  finding: Begun,
): Claim {
  const { idempotency } = places;
  const { kind, workId, claim } = finding;
  // Of an answer that is not kept the client may miss a part: whether it does is known when the response has ended.
  let isNotKept = kind === 'again';
  return {
    id: claim.claimId,
    workId,
    state: kind === 'resumed' ? 'begun' : 'new',
    again: kind === 'again' ? { charged: finding.charged, received: again?.received ?? 0 } : undefined,
    finish: async (tx, body) => {
      isNotKept = typeof body === 'object' && 'charged' in body;
      await idempotency.finish(tx, claim, { status, body });
    },
    leave: async () => {
      isNotKept = false;
      await transact(places, (tx) => idempotency.leave(tx, claim));
    },
    end: () => {
      if (!isNotKept) idempotency.end(claim);
      else whenDelivered((isDrained) => close(places, claim, isDrained));
    },
  };
}

/** Notes what became of a response. It never rejects: where the store does not answer it is tried again. */
async function close(
  { idempotency, afterwards, ...places }: WalletPlaces,
  claim: Begun['claim'],
  isDrained: boolean,
): Promise<void> {
  try {
    await afterwards(() => transact(places, (tx) => idempotency.close(tx, claim, isDrained)));
  } catch (error) {
    const { message: reason } = toServiceError(error);
    places.log.error({ reason }, 'the end of a response could not be noted');
  } finally {
    idempotency.end(claim);
  }
}

/** A claim whose transaction is not known to be committed is nobody's. */
async function begin(
  places: WalletPlaces,
  { accountId, key, parts, again }: KeyedRequest,
): Promise<IdempotencyFinding> {
  const { idempotency, clock } = places;
  const request: IdempotentRequest = {
    ...{ accountId, key, fingerprint: idempotency.fingerprint(...parts), nowMs: clock.nowMs() },
    again: again && {
      ...{ received: again.received, free: again.free },
      fingerprints: again.parts.map((each) => idempotency.fingerprint(...each)),
    },
  };
  let found: IdempotencyFinding | undefined;
  try {
    return await transact(places, async (tx) => {
      found = await idempotency.begin(tx, request);
      if (found.kind === 'again') await again?.record(tx, found.charged);
      return found;
    });
  } catch (error) {
    if (found !== undefined && 'claim' in found) idempotency.end(found.claim);
    throw error;
  }
}

function refusal(
  finding: Exclude<IdempotencyFinding, { workId: string } | { kind: 'replay' }>,
): ServiceError {
  switch (finding.kind) {
    case 'inUse':
      return serviceError('idempotencyKeyInUse');
    case 'otherBody':
      return serviceError('idempotencyKeyReused');
    case 'secretNotKept':
      return serviceError('idempotencySecretNotKept');
    case 'nothingCharged':
      return serviceError('idempotencyNothingCharged');
    case 'receivedTooMany':
      return serviceError('walletsReceivedInvalid', {
        reason: `expected at most ${finding.limit} for the earlier request`,
      });
    default:
      return finding satisfies never;
  }
}
