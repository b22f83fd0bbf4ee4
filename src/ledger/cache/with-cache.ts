import type { Call } from '../../server/json-rpc/call.ts';
import type { Context } from '../../context.ts';
import type { UpstreamReply } from '../../upstream/upstream.ts';
import type { Ledger, LedgerReply } from '../ledger.ts';
import { readWhole } from '../read-whole.ts';
import { createReplyMemory, type ReplyHold } from '../reply-memory.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type CacheKey, cacheKeyOf } from './cache-key.ts';
import { type KeptAnswer, keepAnswer, replyFrom } from './kept-answer.ts';

/** `collapsed`: answered by what another client had asked for at the same time. */
export type CacheOutcome = 'hit' | 'collapsed' | 'miss';

export type CacheOptions = {
  readonly answers: AnswerCache;
  /** The network: answers of one are never those of another. */
  readonly network: string;
  /** Changes when the ledger behind the network begins anew; what was kept before is then out of reach. */
  readonly generation: () => number;
  /** For how long an answer of a `slot` method is handed out, counted from when it was asked for. */
  readonly slotMs: number;
  /** Milliseconds from any start; never set back. */
  readonly nowMs: () => number;
  readonly onOutcome: (method: string, outcome: CacheOutcome) => void;
};

/** What the call that went to the node came to. `left`: its client gave it up, and another one has to go. */
type Landing = KeptAnswer | 'notKept' | 'left';

/** A call on its way to the node. Whoever asks the same before `untilMs` waits for it. */
type Flight = { readonly untilMs: number; readonly landing: Promise<Landing> };

type Cacheable = Exclude<CacheKey, { readonly kind: 'uncacheable' }>;

/** What is asked of the node, to be kept under the key until `untilMs`. */
type Asked = { readonly key: string; readonly untilMs: number };

/** How many of the largest answers may be on their way into the cache at the same time. */
const READING_ANSWERS = 4;

type Streamed = Extract<UpstreamReply, { readonly kind: 'stream' }>;
type Whole = Extract<UpstreamReply, { readonly kind: 'whole' }>;
type Served = {
  readonly reply: LedgerReply;
  readonly kept: KeptAnswer | undefined;
  readonly isStored: boolean;
};

/**
 * Answers from memory what the spec declares immutable, or final once it is finalized and not null, and for `slotMs` what it
 * calls slot-bound. Calls for the same at the same time are sent once: a slot-bound answer was asked of the node less than
 * `slotMs` before the call that gets it. Errors and nulls are neither kept nor shared: each call gets one of its own. What is
 * answered carries its Cache-Status (RFC 9211).
 */
export function withCache(ledger: Ledger, options: CacheOptions): Ledger {
  const { answers, network, generation, slotMs, nowMs, onOutcome } = options;
  const flights = new Map<string, Flight>();
  let unreadBytes = READING_ANSWERS * answers.maxAnswerBytes;
  return {
    serve: (call, context) => {
      const found = cacheKeyOf(call);
      return found.kind === 'uncacheable' ? ledger.serve(call, context) : serveCached(found, call, context);
    },
  };

  async function serveCached(found: Cacheable, call: Call, context: Context): Promise<LedgerReply> {
    if (found.kind === 'unfit') return { ...(await ledger.serve(call, context)), cacheStatus: 'fwd=bypass' };
    const key = `${network}#${generation()} ${found.key}`;
    const comesMs = nowMs();
    const kept = answers.get(key, comesMs);
    if (kept !== undefined) return await handOut(kept, 'hit', call, context);
    let flight = flightOf(key, comesMs);
    while (flight !== undefined) {
      const landing = await flight.landing;
      context.signal.throwIfAborted();
      if (landing === 'notKept') break;
      if (landing !== 'left') return handOut(landing, 'collapsed', call, context);
      flight = flightOf(key, comesMs);
    }
    onOutcome(call.method, 'miss');
    const asked = { key, untilMs: found.isSlotBound ? nowMs() + slotMs : Infinity };
    const served = await (flight === undefined ? lead : fetchAnswer)(asked, call, context);
    return { ...served.reply, cacheStatus: served.isStored ? 'fwd=miss; stored' : 'fwd=miss' };
  }

  function flightOf(key: string, comesMs: number): Flight | undefined {
    const flight = flights.get(key);
    return flight !== undefined && comesMs < flight.untilMs ? flight : undefined;
  }

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

  /** Sends a call to the node for all who ask the same until it is answered, or as long as its answer may be shared. */
  async function lead(asked: Asked, call: Call, context: Context): Promise<Served> {
    const { promise, resolve } = Promise.withResolvers<Landing>();
    const flight: Flight = { untilMs: asked.untilMs, landing: promise };
    flights.set(asked.key, flight);
    let landing: Landing = 'notKept';
    try {
      const served = await fetchAnswer(asked, call, context);
      landing = served.kept ?? 'notKept';
      return served;
    } catch (error) {
      if (context.signal.aborted) landing = 'left';
      throw error;
    } finally {
      if (flights.get(asked.key) === flight) flights.delete(asked.key);
      resolve(landing);
    }
  }

  async function fetchAnswer({ key, untilMs }: Asked, call: Call, context: Context): Promise<Served> {
    const reply = await ledger.serve(call, context);
    const whole = reply.kind === 'stream' ? await readKeepable(reply, context.hold) : reply;
    if (whole?.kind !== 'whole') return { reply, kept: undefined, isStored: false };
    const kept = keepAnswer(whole.body, call.id);
    const isStored = kept !== undefined && answers.put(key, kept, { untilMs, nowMs: nowMs() });
    return { reply: whole, kept, isStored };
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
