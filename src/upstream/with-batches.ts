import { type BatchOwner, type BatchedCall, sendTogether } from './send-together.ts';
import { ServiceError } from '../base/service-error.ts';
import { isRefusal } from './batch-probe.ts';
import type { BatchRoute, Upstream } from './upstream.ts';
import { isPassedOver } from './spread-calls.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';

/** The call was not answered, whatever the others were. */
export type Failure = { readonly kind: 'failure'; readonly error: unknown };

/** The call cannot be answered together with the others: it is to be sent by itself. */
export type Alone = { readonly kind: 'alone' };

/** What a call that was sent together with others came to. */
export type BatchOutcome = UpstreamReply | Failure | Alone;

/** A ledger node behind us that also takes batches. */
export type BatchUpstream = Upstream & {
  /**
   * Sends reads that have different plain ids to a node as one JSON-RPC batch. A node that takes none gets none for a minute.
   * Never rejects. @returns what each came to, in order.
   */
  readonly sendTogether: (
    calls: readonly BatchedCall[],
    owner: BatchOwner,
  ) => Promise<readonly BatchOutcome[]>;
};

export const ALONE: Alone = { kind: 'alone' };

/** What a node may have answered because of the others: each call is then sent by itself. */
const SENT_ALONE: ReadonlySet<string> = new Set([
  'upstreamBroken',
  'callTooLarge',
  'replyTooLarge',
  'replyMemoryFull',
]);

/** Lets calls travel together (docs/decisions/0015-batches-travel-together.md). */
export function withBatches(upstream: Upstream): BatchUpstream {
  return {
    ...upstream,
    sendTogether: async (calls, owner) => {
      if (calls.length < 2) return calls.map(() => ALONE);
      const route: BatchRoute = {};
      try {
        const replies = await sendTogether(calls, upstream, { ...owner, route });
        if (replies !== undefined) return replies;
        route.taker?.doubt(calls.length);
        return calls.map(() => ALONE);
      } catch (error) {
        if (isRefusal(error)) route.taker?.doubt(calls.length);
        // No node took the batch, one of them because it takes none: that one may take the calls.
        const isForOne = route.isTurnedAway === true && isPassedOver(error);
        const isAlone = isForOne || (error instanceof ServiceError && SENT_ALONE.has(error.code));
        const outcome: BatchOutcome = isAlone ? ALONE : { kind: 'failure', error };
        return calls.map(() => outcome);
      }
    },
  };
}
