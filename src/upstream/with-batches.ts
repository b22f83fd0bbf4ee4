import type { ReplyHold } from '../ledger/reply-memory.ts';
import { ServiceError } from '../service-error.ts';
import type { CallSignal } from '../call-signal.ts';
import { isRefusal, takesBatches } from './batch-probe.ts';
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
   * Sends reads that have different plain ids to a node as one JSON-RPC batch. A node that takes none gets none for a minute.
   * Never rejects. @returns what each came to, in order.
   */
  readonly sendTogether: (
    calls: readonly BatchedCall[],
    owner: BatchOwner,
  ) => Promise<readonly BatchOutcome[]>;
};

export const ALONE: Alone = { kind: 'alone' };

/** How long a node gets no batch that was found to take none. */
const REFUSED_MS = 60_000;

/** How long a node is not asked again whether it takes batches, whatever becomes of those of clients. */
const ASKED_MS = 1_000;

/** What a node may have answered because of the others: each call is then sent by itself. */
const SENT_ALONE: ReadonlySet<string> = new Set([
  'upstreamBroken',
  'callTooLarge',
  'replyTooLarge',
  'replyMemoryFull',
]);

/** Lets calls travel together (docs/decisions/batches-travel-together.md). */
export function withBatches(upstream: Upstream): BatchUpstream {
  const { mayTake, doubt } = createTrust(upstream);
  return {
    ...upstream,
    sendTogether: async (calls, owner) => {
      if (calls.length < 2 || !mayTake()) return calls.map(() => ALONE);
      try {
        const replies = await sendTogether(calls, upstream, owner);
        if (replies !== undefined) return replies;
        doubt(calls.length);
        return calls.map(() => ALONE);
      } catch (error) {
        if (isRefusal(error)) doubt(calls.length);
        const isAlone = error instanceof ServiceError && SENT_ALONE.has(error.code);
        const outcome: BatchOutcome = isAlone ? ALONE : { kind: 'failure', error };
        return calls.map(() => outcome);
      }
    },
  };
}

/** What is known of whether a node takes batches. In doubt it is asked with one of ours, at most once a second. */
function createTrust(upstream: Upstream) {
  let refusedUntilMs = Number.NEGATIVE_INFINITY;
  let notAskedUntilMs = Number.NEGATIVE_INFINITY;
  const ask = async (size: number): Promise<void> => {
    notAskedUntilMs = Number.POSITIVE_INFINITY;
    const takes = await takesBatches(upstream, size);
    const nowMs = performance.now();
    notAskedUntilMs = nowMs + ASKED_MS;
    if (takes === false) refusedUntilMs = nowMs + REFUSED_MS;
  };
  return {
    mayTake: (): boolean => performance.now() >= refusedUntilMs,
    doubt: (size: number): void => {
      if (performance.now() >= notAskedUntilMs) void ask(size);
    },
  };
}
