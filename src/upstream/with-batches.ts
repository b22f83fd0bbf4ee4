import type { ReplyHold } from '../ledger/reply-memory.ts';
import { ServiceError } from '../service-error.ts';
import type { CallSignal } from '../call-signal.ts';
import { BrokenConnection } from './broken-connection.ts';
import { type BatchedCall, sendTogether } from './send-together.ts';
import type { Upstream, UpstreamReply } from './upstream.ts';

/** The call was not answered, whatever the others were. */
export type Failure = { readonly kind: 'failure'; readonly error: unknown };

/** The call cannot be answered together with the others: it is to be sent by itself. */
export type Alone = { readonly kind: 'alone' };

/** What a call that was sent together with others came to. */
export type BatchOutcome = UpstreamReply | Failure | Alone;

/** Whose calls they are: given up with the signal, and what is read is drawn on the hold. */
export type BatchOwner = { readonly signal: CallSignal; readonly hold: ReplyHold };

/** A ledger node behind us that also takes batches. */
export type BatchUpstream = Upstream & {
  /**
   * Sends reads that have different plain ids to a node as one JSON-RPC batch. A node that answers a batch with anything but one
   * gets none for a minute. Never rejects. @returns what each came to, in order.
   */
  readonly sendTogether: (
    calls: readonly BatchedCall[],
    owner: BatchOwner,
  ) => Promise<readonly BatchOutcome[]>;
};

export const ALONE: Alone = { kind: 'alone' };

const REFUSED_MS = 60_000;

/** What a node may have answered because of the others: each call is then sent by itself. */
const SENT_ALONE: ReadonlySet<string> = new Set([
  'upstreamBroken',
  'callTooLarge',
  'replyTooLarge',
  'replyMemoryFull',
]);

/** Lets calls travel together (docs/decisions/batches-travel-together.md). */
export function withBatches(upstream: Upstream): BatchUpstream {
  let refusedUntilMs = Number.NEGATIVE_INFINITY;
  const noteRefusal = (): void => {
    refusedUntilMs = performance.now() + REFUSED_MS;
  };
  return {
    ...upstream,
    sendTogether: async (calls, owner) => {
      if (calls.length < 2 || performance.now() < refusedUntilMs) return calls.map(() => ALONE);
      try {
        const replies = await sendTogether(calls, upstream, owner);
        if (replies !== undefined) return replies;
        noteRefusal();
        return calls.map(() => ALONE);
      } catch (error) {
        if (isRefusal(error)) noteRefusal();
        const isAlone = error instanceof ServiceError && SENT_ALONE.has(error.code);
        const outcome: BatchOutcome = isAlone ? ALONE : { kind: 'failure', error };
        return calls.map(() => outcome);
      }
    },
  };
}

/** The node answered, and not as a node that takes batches does. */
function isRefusal(error: unknown): boolean {
  const isBroken = error instanceof ServiceError && error.code === 'upstreamBroken';
  return isBroken && !(error.cause instanceof BrokenConnection);
}
