import type { Call } from '../../server/json-rpc/call.ts';
import type { Context } from '../../context.ts';
import type { UpstreamReply } from '../../upstream/upstream.ts';
import type { Ledger, LedgerReply } from '../ledger.ts';
import { readWhole } from '../read-whole.ts';
import { createReplyMemory, type ReplyHold } from '../reply-memory.ts';
import type { AnswerCache } from './answer-cache.ts';
import { cacheKeyOf } from './cache-key.ts';
import { type KeptAnswer, keepAnswer, replyFrom } from './kept-answer.ts';

/** `collapsed`: answered by what another client had asked for at the same time. */
export type CacheOutcome = 'hit' | 'collapsed' | 'miss';

export type CacheOptions = {
  readonly answers: AnswerCache;
  /** The network: answers of one are never those of another. */
  readonly network: string;
  /** Changes when the ledger behind the network begins anew; what was kept before is then out of reach. */
  readonly generation: () => number;
  readonly onOutcome: (method: string, outcome: CacheOutcome) => void;
};

/** What the call that went to the node came to. `left`: its client gave it up, and another one has to go. */
type Flight = KeptAnswer | 'notKept' | 'left';

/** How many of the largest answers may be on their way into the cache at the same time. */
const READING_ANSWERS = 4;

type Streamed = Extract<UpstreamReply, { readonly kind: 'stream' }>;
type Whole = Extract<UpstreamReply, { readonly kind: 'whole' }>;
type Served = { readonly reply: LedgerReply; readonly kept: KeptAnswer | undefined };

/**
 * Answers from memory what the spec declares immutable, or final once it is finalized and not null. Calls for the same
 * at the same time are sent once. Errors and nulls are neither kept nor shared: each call gets one of its own. What is
 * answered carries its Cache-Status (RFC 9211).
 */
export function withCache(ledger: Ledger, options: CacheOptions): Ledger {
  const { answers, network, generation, onOutcome } = options;
  const flights = new Map<string, Promise<Flight>>();
  let unreadBytes = READING_ANSWERS * answers.maxAnswerBytes;
  return {
    serve: async (call, context) => {
      const found = cacheKeyOf(call);
      if (found.kind === 'uncacheable') return ledger.serve(call, context);
      if (found.kind === 'unfit')
        return { ...(await ledger.serve(call, context)), cacheStatus: 'fwd=bypass' };
      const key = `${network}#${generation()} ${found.key}`;
      const kept = answers.get(key);
      if (kept !== undefined) return handOut(kept, 'hit', call, context);
      let flight = flights.get(key);
      while (flight !== undefined) {
        const outcome = await flight;
        context.signal.throwIfAborted();
        if (outcome === 'notKept') break;
        if (outcome !== 'left') return handOut(outcome, 'collapsed', call, context);
        flight = flights.get(key);
      }
      onOutcome(call.method, 'miss');
      const served = await (flight === undefined ? lead : fetchAnswer)(key, call, context);
      const cacheStatus = served.kept === undefined ? 'fwd=miss' : 'fwd=miss; stored';
      return { ...served.reply, cacheStatus };
    },
  };

  /** What is kept, or the node's own answer where the request has no room to hold a large one: that is streamed. */
  async function handOut(
    kept: KeptAnswer,
    outcome: 'hit' | 'collapsed',
    call: Call,
    context: Context,
  ): Promise<LedgerReply> {
    const reply = replyFrom(kept, call.id, context.hold);
    if (reply === undefined) {
      onOutcome(call.method, 'miss');
      return { ...(await ledger.serve(call, context)), cacheStatus: 'fwd=bypass' };
    }
    onOutcome(call.method, outcome);
    return { ...reply, cacheStatus: outcome === 'hit' ? 'hit' : 'fwd=miss; collapsed' };
  }

  /** Sends a call to the node for all who ask the same until it is answered. */
  async function lead(key: string, call: Call, context: Context): Promise<Served> {
    const flight = Promise.withResolvers<Flight>();
    flights.set(key, flight.promise);
    let outcome: Flight = 'notKept';
    try {
      const served = await fetchAnswer(key, call, context);
      outcome = served.kept ?? 'notKept';
      return served;
    } catch (error) {
      if (context.signal.aborted) outcome = 'left';
      throw error;
    } finally {
      flights.delete(key);
      flight.resolve(outcome);
    }
  }

  async function fetchAnswer(key: string, call: Call, context: Context): Promise<Served> {
    const reply = await ledger.serve(call, context);
    if (reply.kind === 'result') return { reply, kept: undefined };
    const whole = reply.kind === 'whole' ? reply : await readKeepable(reply, context.hold);
    if (whole === undefined) return { reply, kept: undefined };
    const kept = keepAnswer(whole.body, call.id);
    if (kept !== undefined) answers.put(key, kept);
    return { reply: whole, kept };
  }

  /**
   * A streamed reply that may be kept, whole, and held by its request. Undefined, and the reply still to be streamed, if it is too
   * large, does not say its size, there is no room to hold it, or too many bytes are being read for the cache already.
   */
  async function readKeepable(reply: Streamed, hold: ReplyHold): Promise<Whole | undefined> {
    const { sizeBytes } = reply;
    if (sizeBytes === undefined || sizeBytes > Math.min(answers.maxAnswerBytes, unreadBytes))
      return undefined;
    if (reply.isHeld !== true && !hold.tryDraw(sizeBytes)) return undefined;
    unreadBytes -= sizeBytes;
    try {
      const body = await readWhole(reply, createReplyMemory(sizeBytes, sizeBytes).hold());
      return { kind: 'whole', body, isError: false, isHeld: true };
    } finally {
      unreadBytes += sizeBytes;
    }
  }
}
