import type { IdempotencyFinding, IdempotentAnswer, IdempotentRequest } from '../account/idempotency.ts';
import type { ServiceError } from '../service-error.ts';
import { serviceError } from '../service-error.ts';
import type { StoreTransaction } from '../store/open-store.ts';
import { transact } from './transact.ts';
import type { WalletPlaces } from './wallet-context.ts';

/** A request with an Idempotency-Key, or without one: then every function does nothing. */
export type Claim = {
  /** What wallets carry that the request makes, so that a repetition finds them; undefined without a key. */
  readonly workId: string | undefined;
  /** `begun`: wallets of an earlier try may be there. `done`: all of them are, and the answer is told again. */
  readonly state: 'new' | 'begun' | 'done';
  /** Keeps the answer, in the transaction that commits the last of the work. */
  readonly finish: (tx: StoreTransaction, body: IdempotentAnswer['body']) => Promise<void>;
  /** Ends work that is not finished: what it has committed stays for the next try, and without any the key is given back. */
  readonly leave: () => Promise<void>;
  /** To be called last, whatever went wrong before: the request may be sent again from now on. */
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
};

/** The claim of a request without a key. */
export const NO_CLAIM: Claim = {
  workId: undefined,
  state: 'new',
  finish: async () => undefined,
  leave: async () => undefined,
  end: () => undefined,
};

/**
 * Claims the key of a request, before the work begins.
 *
 * @throws ServiceError `idempotencyKeyInUse`, `idempotencyKeyReused`, `idempotencySecretNotKept`.
 */
export async function claimKey(
  places: WalletPlaces,
  { accountId, key, parts, status }: KeyedRequest,
): Promise<Claimed> {
  const { idempotency, clock } = places;
  const fingerprint = idempotency.fingerprint(...parts);
  const request = { accountId, key, fingerprint, nowMs: clock.nowMs() };
  const finding = await begin(places, request);
  if (finding.kind === 'replay') return { kind: 'replay', bytes: finding.body };
  if (!('workId' in finding)) throw refusal(finding.kind);
  const { workId } = finding;
  if (finding.kind === 'retold') return { kind: 'claim', claim: { ...NO_CLAIM, workId, state: 'done' } };
  const { kind, claim } = finding;
  return {
    kind: 'claim',
    claim: {
      workId,
      state: kind === 'resumed' ? 'begun' : 'new',
      finish: (tx, body) => idempotency.finish(tx, claim, { status, body }),
      leave: () => transact(places, (tx) => idempotency.leave(tx, claim)),
      end: () => idempotency.end(claim),
    },
  };
}

/** A claim whose transaction is not known to be committed is nobody's. */
async function begin(places: WalletPlaces, request: IdempotentRequest): Promise<IdempotencyFinding> {
  const { idempotency } = places;
  let found: IdempotencyFinding | undefined;
  try {
    return await transact(places, async (tx) => {
      found = await idempotency.begin(tx, request);
      return found;
    });
  } catch (error) {
    if (found !== undefined && 'claim' in found) idempotency.end(found.claim);
    throw error;
  }
}

function refusal(kind: Exclude<IdempotencyFinding, { workId: string }>['kind']): ServiceError {
  if (kind === 'inUse') return serviceError('idempotencyKeyInUse');
  if (kind === 'otherBody') return serviceError('idempotencyKeyReused');
  return serviceError('idempotencySecretNotKept');
}
