/** Asks for the wallets of an earlier request that were charged but did not arrive. */
export type ReplacementRequest = {
  /** Number of its wallets that arrived, free ones included. */
  readonly received: number;
  /** Number of its wallets that are free: a master. */
  readonly free: number;
  /** Fingerprints of the requests that it may repeat. */
  readonly fingerprints: readonly Uint8Array[];
};

/** A request with an Idempotency-Key. */
export type IdempotentRequest = {
  readonly accountId: string;
  /** From `readIdempotencyKey`. */
  readonly key: string;
  /** From `fingerprint`. */
  readonly fingerprint: Uint8Array;
  readonly nowMs: number;
  /** Set when the request asks for undelivered wallets of an earlier one. */
  readonly replacement?: ReplacementRequest | undefined;
};

/** The next step for a request with an Idempotency-Key. */
export type IdempotencyFinding =
  /** Do the work, then `finish` in the transaction of its last write, or `release`; in any case `end` when it is over. */
  | { readonly kind: 'new'; readonly workId: string; readonly claim: Claim }
  /** Resume interrupted work: the wallets that carry `workId` exist. Then as for `new`. */
  | { readonly kind: 'resumed'; readonly workId: string; readonly claim: Claim }
  /** The work is done; rebuild its answer from the wallets that carry `workId`. */
  | { readonly kind: 'rebuild'; readonly workId: string }
  | { readonly kind: 'replay'; readonly status: number; readonly body: Uint8Array }
  /** The first request is still under way. */
  | { readonly kind: 'inUse' }
  /** The key was used with another request. */
  | { readonly kind: 'otherBody' }
  /** The work is done, and its answer held a secret, which was not kept. */
  | { readonly kind: 'secretNotKept' }
  /** Make replacements of the `charged` wallets that did not arrive, free of charge; then `close`, or `release` if nothing was delivered. */
  | { readonly kind: 'replacement'; readonly workId: string; readonly claim: Claim; readonly charged: number }
  /** The key has no wallets that could be requested again. */
  | { readonly kind: 'nothingCharged' }
  /** More wallets are claimed to have arrived than `limit`. */
  | { readonly kind: 'receivedTooMany'; readonly limit: number };

/** Number of wallets charged for an answer that held secrets, and so was not kept. */
export type NotKept = { readonly charged: number };

/** The outcome of the work. `wallets`: its answer can be rebuilt from the wallets that carry the work. */
export type IdempotentAnswer = { readonly status: number; readonly body: Uint8Array | 'wallets' | NotKept };

/** The right to finish one request's work; a later request that resumes it revokes it. */
export type Claim = Pick<IdempotentRequest, 'accountId' | 'key'> & { readonly claimId: string };
