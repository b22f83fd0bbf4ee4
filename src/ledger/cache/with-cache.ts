import type { Call } from '../../server/json-rpc/call.ts';
import type { Context } from '../../context.ts';
import type { UpstreamReply } from '../../upstream/upstream.ts';
import type { Ledger, LedgerReply } from '../ledger.ts';
import { readWhole } from '../read-whole.ts';
import { createReplyMemory } from '../reply-memory.ts';
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
      if (kept !== undefined) {
        onOutcome(call.method, 'hit');
        return { ...replyFrom(kept, call.id), cacheStatus: 'hit' };
      }
      let flight = flights.get(key);
      while (flight !== undefined) {
        const outcome = await flight;
        context.signal.throwIfAborted();
        if (outcome === 'notKept') break;
        if (outcome !== 'left') {
          onOutcome(call.method, 'collapsed');
          return { ...replyFrom(outcome, call.id), cacheStatus: 'fwd=miss; collapsed' };
        }
        flight = flights.get(key);
      }
      onOutcome(call.method, 'miss');
      const served = await (flight === undefined ? lead : fetchAnswer)(key, call, context);
      const cacheStatus = served.kept === undefined ? 'fwd=miss' : 'fwd=miss; stored';
      return { ...served.reply, cacheStatus };
    },
  };

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
    const body = await readKeepable(reply);
    if (body === undefined) return { reply, kept: undefined };
    const kept = keepAnswer(body);
    if (kept !== undefined) answers.put(key, kept);
    const isError = reply.kind === 'whole' && reply.isError;
    return { reply: { kind: 'whole', body, isError }, kept };
  }

  /**
   * The whole body of a reply that may be kept. Undefined, and the reply still to be streamed, if it is too large, does not
   * say its size, or too many bytes are being read for the cache already.
   */
  async function readKeepable(reply: UpstreamReply): Promise<Buffer | undefined> {
    if (reply.kind === 'whole') return reply.body;
    const { sizeBytes } = reply;
    if (sizeBytes === undefined || sizeBytes > Math.min(answers.maxAnswerBytes, unreadBytes))
      return undefined;
    unreadBytes -= sizeBytes;
    try {
      return await readWhole(reply, createReplyMemory(sizeBytes, sizeBytes).hold());
    } finally {
      unreadBytes += sizeBytes;
    }
  }
}
