import { type BatchOwner, type BatchedCall, sendBatched, isRefusal } from './batch-probe.ts';
import { ServiceError } from '../../core/service-error.ts';
import type { Upstream } from './upstream.ts';
import { isPassedOver } from './pool/attempt.ts';
import type { UpstreamReply } from '../../core/rpc/upstream-reply.ts';

/** The call was not answered; the other calls are unaffected. */
export type Failure = { readonly kind: 'failure'; readonly error: unknown };

/** The call cannot be answered with the others: it must be sent on its own. */
export type NotBatched = { readonly kind: 'not-batched' };

/** The outcome of a call that was sent together with others. */
export type BatchOutcome = UpstreamReply | Failure | NotBatched;

/** A ledger node that also takes batches. */
export type BatchUpstream = Upstream & {
  /**
   * Sends reads with distinct plain ids to a node as one JSON-RPC batch. A node that refuses batches gets none for a minute. Never
   * rejects. @returns the outcome of each, in order.
   */
  readonly sendBatched: (
    calls: readonly BatchedCall[],
    owner: BatchOwner,
  ) => Promise<readonly BatchOutcome[]>;
};

export const NOT_BATCHED: NotBatched = { kind: 'not-batched' };

/** Errors that the other calls may have caused: each call is then sent on its own. */
const RETRIED_SEPARATELY: ReadonlySet<string> = new Set([
  'upstreamBroken',
  'callTooLarge',
  'replyTooLarge',
  'replyMemoryFull',
]);

/** Adds batches to an upstream (docs/decisions/0015-batches-travel-together.md). */
export function withBatches(upstream: Upstream): BatchUpstream {
  return {
    ...upstream,
    sendBatched: async (calls, owner) => {
      if (calls.length < 2) return calls.map(() => NOT_BATCHED);
      const route = owner.route ?? { size: calls.length };
      try {
        const replies = await sendBatched(calls, upstream, { ...owner, route });
        if (replies !== undefined) return replies;
        route.taker?.reprobe(calls.length);
        return calls.map(() => NOT_BATCHED);
      } catch (error) {
        if (isRefusal(error)) route.taker?.reprobe(calls.length);
        // No node took the batch, but one only because it refuses batches: that one may take the calls.
        const isForOne = route.isTurnedAway === true && isPassedOver(error);
        const isAlone = isForOne || (error instanceof ServiceError && RETRIED_SEPARATELY.has(error.code));
        const outcome: BatchOutcome = isAlone ? NOT_BATCHED : { kind: 'failure', error };
        return calls.map(() => outcome);
      }
    },
  };
}
