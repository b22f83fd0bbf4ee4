/** Asks for the wallets of an earlier request that were charged and did not arrive. */
export type MadeAgain = {
  /** How many of its wallets came, those that are free included. */
  readonly received: number;
  /** How many of its wallets are free: a master. */
  readonly free: number;
  /** Those of the requests that it may be the repetition of. */
  readonly fingerprints: readonly Uint8Array[];
};

/** A request that came with an Idempotency-Key. */
export type IdempotentRequest = {
  readonly accountId: string;
  /** As `readIdempotencyKey` gave it. */
  readonly key: string;
  /** As `fingerprint` gave it. */
  readonly fingerprint: Uint8Array;
  readonly nowMs: number;
  /** Where the request asks for the wallets of an earlier one that did not arrive. */
  readonly again?: MadeAgain | undefined;
};

/** What is to be done with such a request. */
export type IdempotencyFinding =
  /** Do the work, then `finish` in the transaction of its last write, or `leave`; in any case `end` when it is over. */
  | { readonly kind: 'new'; readonly workId: string; readonly claim: Claim }
  /** Go on with the work that stopped midway: the wallets that carry `workId` are there. Then as for `new`. */
  | { readonly kind: 'resumed'; readonly workId: string; readonly claim: Claim }
  /** The work was done; its answer is told again from the wallets that carry `workId`. */
  | { readonly kind: 'retold'; readonly workId: string }
  | { readonly kind: 'replay'; readonly status: number; readonly body: Uint8Array }
  /** The first one is still under way. */
  | { readonly kind: 'inUse' }
  /** The key was used with another request. */
  | { readonly kind: 'otherBody' }
  /** The work was done once, and its answer held a secret, which was not kept. */
  | { readonly kind: 'secretNotKept' }
  /** Make those of the `charged` wallets that did not arrive, free of charge; then `close`, or `leave` where nothing was delivered. */
  | { readonly kind: 'again'; readonly workId: string; readonly claim: Claim; readonly charged: number }
  /** The key has no wallets that could be asked for again. */
  | { readonly kind: 'nothingCharged' }
  /** More are said to have come than `limit`. */
  | { readonly kind: 'receivedTooMany'; readonly limit: number };

/** How many wallets an answer was charged for that held secrets, and so was not kept. */
export type NotKept = { readonly charged: number };

/** How the work ended. `wallets`: its answer can be told again from the wallets that carry the work. */
export type IdempotentAnswer = { readonly status: number; readonly body: Uint8Array | 'wallets' | NotKept };

/** The right to finish one request's work; a later request that goes on with it ends it. */
export type Claim = Pick<IdempotentRequest, 'accountId' | 'key'> & { readonly claimId: string };
