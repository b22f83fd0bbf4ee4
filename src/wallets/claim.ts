import type {
  IdempotencyFinding,
  IdempotentAnswer,
  IdempotentRequest,
  ReplacementRequest,
} from '../account/idempotency/idempotent-request.ts';
import { ServiceError, serviceError, toServiceError } from '../core/service-error.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { transact } from './transact.ts';
import type { WalletDeps } from './wallet-deps.ts';

/** The claim of a request. Without an Idempotency-Key, its functions do nothing. */
export type Claim = {
  /** The claim that money is reserved under; undefined without a key. */
  readonly id: string | undefined;
  /** Id on the wallets of the request, so that a repeated one finds them; undefined without a key. */
  readonly workId: string | undefined;
  /** `begun`: wallets of an earlier try may exist. `done`: all of them exist, and the answer is rebuilt. */
  readonly state: 'new' | 'begun' | 'done';
  /** Set when replacements of charged but undelivered wallets are made, free of charge; undefined otherwise. */
  readonly replacement: { readonly charged: number; readonly received: number } | undefined;
  /**
   * Call it first in each transaction that commits part of the work.
   * @throws ServiceError `reservationClosed` when the key was given to another request meanwhile: nothing may be committed then.
   */
  readonly hold: (tx: StoreTransaction) => Promise<void>;
  /** Stores the answer, in the transaction that commits the last of the work. */
  readonly finish: (tx: StoreTransaction, body: IdempotentAnswer['body']) => Promise<void>;
  /** Ends unfinished work: committed wallets stay for the next try; without any, the key is released. */
  readonly release: () => Promise<void>;
  /**
   * Call it last, even after a failure: the request may be repeated from now on or, if its answer is not kept, once its response has ended.
   */
  readonly end: () => void;
};

/** A claim, or the answer of the first request. */
export type Claimed =
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'replay'; readonly bytes: Uint8Array };

export type KeyedRequest = {
  readonly accountId: string;
  /** From `readIdempotencyKey`. */
  readonly key: string;
  /** Everything that the outcome depends on. */
  readonly parts: readonly string[];
  /** The status of a successful answer. */
  readonly status: number;
  readonly whenDelivered: WhenDelivered;
  /** Set when it asks for undelivered wallets of an earlier request. */
  readonly replacement: Replacement | undefined;
};

/** Registers work for the end of the response; `isDrained` is true if the client was seen to receive all of it. */
export type WhenDelivered = (work: (isDrained: boolean) => Promise<void>) => void;

export type Replacement = Pick<ReplacementRequest, 'received' | 'free'> & {
  /** The parts of the requests that it may repeat. */
  readonly parts: readonly (readonly string[])[];
  /** Writes it to the audit log. */
  readonly record: (tx: StoreTransaction, units: number) => Promise<void>;
};

/** The claim of a request without a key. */
export const NO_CLAIM: Claim = {
  id: undefined,
  workId: undefined,
  state: 'new',
  replacement: undefined,
  hold: async () => undefined,
  finish: async () => undefined,
  release: async () => undefined,
  end: () => undefined,
};

/**
 * Claims the key of a request, before the work begins.
 *
 * @throws ServiceError `idempotencyKeyInUse`, `idempotencyKeyReused`, `idempotencySecretNotKept`, and for a replacement
 *   `idempotencyNothingCharged`, `walletsReceivedInvalid`.
 */
export async function claimKey(deps: WalletDeps, request: KeyedRequest): Promise<Claimed> {
  const finding = await begin(deps, request);
  if (finding.kind === 'replay') return { kind: 'replay', bytes: finding.body };
  if (!('workId' in finding)) throw refusal(finding);
  const { workId } = finding;
  if (finding.kind === 'rebuild') return { kind: 'claim', claim: { ...NO_CLAIM, workId, state: 'done' } };
  return { kind: 'claim', claim: toClaim(deps, request, finding) };
}

type Begun = Extract<IdempotencyFinding, { claim: unknown }>;

function toClaim(
  deps: WalletDeps,
  { status, whenDelivered, replacement }: KeyedRequest,
  finding: Begun,
): Claim {
  const { idempotency } = deps;
  const { kind, workId, claim } = finding;
  // The client may miss part of an answer that is not kept: this is known when the response has ended.
  let isNotKept = kind === 'replacement';
  return {
    id: claim.claimId,
    workId,
    state: kind === 'resumed' ? 'begun' : 'new',
    replacement:
      kind === 'replacement' ? { charged: finding.charged, received: replacement?.received ?? 0 } : undefined,
    hold: (tx) => idempotency.hold(tx, claim),
    finish: async (tx, body) => {
      isNotKept = typeof body === 'object' && 'charged' in body;
      await idempotency.finish(tx, claim, { status, body });
    },
    release: async () => {
      isNotKept = false;
      await release(deps, claim);
    },
    end: () => {
      if (!isNotKept) idempotency.end(claim);
      else whenDelivered((isDrained) => close(deps, claim, isDrained));
    },
  };
}

/** Retries until the store answers: to other processes the key is in use as long as its row names this one. */
function release(deps: WalletDeps, claim: Begun['claim']): Promise<void> {
  const { idempotency, retryUntilSettled } = deps;
  return retryUntilSettled(() => transact(deps, (tx) => idempotency.release(tx, claim)));
}

/** Records the end of a response. Never rejects: retries until the store answers. */
async function close(
  { idempotency, retryUntilSettled, ...deps }: WalletDeps,
  claim: Begun['claim'],
  isDrained: boolean,
): Promise<void> {
  try {
    await retryUntilSettled(() => transact(deps, (tx) => idempotency.close(tx, claim, isDrained)));
  } catch (error) {
    const { message: reason } = toServiceError(error);
    deps.log.error({ reason }, 'cannot record the end of a response');
  } finally {
    idempotency.end(claim);
  }
}

/** Claims the key. The claim counts only once its transaction is known to be committed; if that is unknown, it is released. */
async function begin(
  deps: WalletDeps,
  { accountId, key, parts, replacement }: KeyedRequest,
): Promise<IdempotencyFinding> {
  const { idempotency, clock } = deps;
  const request: IdempotentRequest = {
    accountId,
    key,
    fingerprint: idempotency.fingerprint(...parts),
    nowMs: clock.nowMs(),
    replacement: replacement && {
      received: replacement.received,
      free: replacement.free,
      fingerprints: replacement.parts.map((each) => idempotency.fingerprint(...each)),
    },
  };
  let found: IdempotencyFinding | undefined;
  try {
    return await transact(deps, async (tx) => {
      found = await idempotency.begin(tx, request);
      if (found.kind === 'replacement') await replacement?.record(tx, found.charged);
      return found;
    });
  } catch (error) {
    if (found !== undefined && 'claim' in found) {
      idempotency.end(found.claim);
      // A final failure is logged by the retry.
      if (error instanceof ServiceError && error.code === 'storeUnavailable')
        release(deps, found.claim).catch(() => undefined);
    }
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
