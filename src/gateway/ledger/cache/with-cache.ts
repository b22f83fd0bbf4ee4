import type { Context } from '../../../core/rpc/context.ts';
import type { Call } from '../../../core/rpc/call.ts';
import { withPermit } from '../../../core/rpc/semaphore.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import type { LedgerReply } from '../outcome.ts';
import type { Ledger } from '../ledger.ts';
import { readWhole } from '../../../core/rpc/read-whole.ts';
import { createReplyMemory, type MemoryLease } from '../../../core/rpc/reply-memory.ts';
import {
  type CacheKey,
  cacheKeyOf,
  type Asked,
  type CacheOptions,
  type Landing,
  SharedAnswers,
} from './shared-answers.ts';
import type { KeptAnswer } from './kept-answer.ts';
import { serveBatch } from './serve-batch.ts';

export type { CacheOptions, CacheOutcome } from './shared-answers.ts';

type Cacheable = Exclude<CacheKey, { readonly kind: 'uncacheable' }>;

/** The number of maximum-size answers that may be read into the cache at the same time. */
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
 * declares slot-bound. Identical concurrent calls are sent once: a slot-bound answer was requested from the node less than
 * `slotMs` before the call that gets it. Errors and nulls are neither kept nor shared: each call gets its own. Answers carry
 * their Cache-Status (RFC 9211).
 */
export function withCache(ledger: Ledger, options: CacheOptions): Ledger {
  const { answers, nowMs, onOutcome } = options;
  const shared = new SharedAnswers(options);
  let unreadBytes = READING_ANSWERS * answers.maxAnswerBytes;
  return {
    serve: (call, context) => {
      const found = cacheKeyOf(call);
      return found.kind === 'uncacheable' ? ledger.serve(call, context) : serveCached(found, call, context);
    },
    serveBatch: (calls, context) => serveBatch(calls, context, { ledger, shared }),
  };

  async function serveCached(found: Cacheable, call: Call, context: Context): Promise<LedgerReply> {
    if (found.kind === 'unfit') return await bypass(call, context);
    const key = shared.keyOf(found);
    const comesMs = nowMs();
    for (;;) {
      const kept = answers.get(key, comesMs);
      if (kept !== undefined) return await handOut(kept, 'hit', call, context);
      const flight = shared.flightOf(key, comesMs);
      const landing = flight === undefined ? undefined : await flight.landing;
      context.signal.throwIfAborted();
      if (landing === undefined) {
        const served = await lead(shared.ask(key, found), call, context);
        if (served !== undefined) return served;
      } else if (landing === 'notKept') {
        onOutcome(call.method, 'miss');
        const reply = await ledger.serve(call, context);
        return tell(await keepReply(reply, shared.ask(key, found), call, context));
      } else if (landing !== 'left') {
        return handOut(landing, 'collapsed', call, context);
      }
    }
  }

  function tell({ reply, isStored }: Served): LedgerReply {
    return { ...reply, cacheStatus: isStored ? 'fwd=miss; stored' : 'fwd=miss' };
  }

  async function bypass(call: Call, context: Context): Promise<LedgerReply> {
    return { ...(await ledger.serve(call, context)), cacheStatus: 'fwd=bypass' };
  }

  /** Returns the kept answer, or streams the node's own answer if the request has no room to hold a large one. */
  async function handOut(
    kept: KeptAnswer,
    outcome: 'hit' | 'collapsed',
    call: Call,
    context: Context,
  ): Promise<LedgerReply> {
    const reply = shared.handOut(kept, outcome, call, context);
    if (reply !== undefined) return reply;
    onOutcome(call.method, 'miss');
    return await bypass(call, context);
  }

  /**
   * Sends a call to the node, when it has its turn, on behalf of identical calls until it is answered, or as long as its answer
   * may be shared.
   * @returns undefined if another one was sent meanwhile, whose answer is kept or in flight.
   */
  async function lead(asked: Asked, call: Call, context: Context): Promise<LedgerReply | undefined> {
    const flight = shared.prepare(asked);
    let landing: Landing = 'notKept';
    try {
      const reply = await withPermit(context.semaphore, async () => {
        if (answers.get(asked.key, nowMs()) !== undefined || !shared.takeOff(flight)) return undefined;
        onOutcome(call.method, 'miss');
        return ledger.serve(call, { ...context, semaphore: undefined });
      });
      if (reply === undefined) return undefined;
      const served = await keepReply(reply, asked, call, context);
      landing = served.kept ?? 'notKept';
      return tell(served);
    } catch (error) {
      if (context.signal.aborted) landing = 'left';
      throw error;
    } finally {
      flight.land(landing);
    }
  }

  /** Keeps a reply if it may be kept. */
  async function keepReply(reply: LedgerReply, asked: Asked, call: Call, context: Context): Promise<Served> {
    const whole = reply.kind === 'stream' ? await readKeepable(reply, context.hold) : reply;
    if (whole?.kind !== 'whole') return { reply, kept: undefined, isStored: false };
    return { reply: whole, ...shared.keep(asked, whole.body, call) };
  }

  /**
   * Reads a streamed reply that may be kept into memory that its request holds. Undefined, and the reply still to be streamed,
   * if it is too large, does not announce its size, there is no room to hold it, or too many bytes are already being read for
   * the cache.
   */
  async function readKeepable(reply: Streamed, hold: MemoryLease): Promise<Whole | undefined> {
    const { sizeBytes } = reply;
    if (sizeBytes === undefined || sizeBytes > Math.min(answers.maxAnswerBytes, unreadBytes))
      return undefined;
    if (reply.isHeld !== true && !hold.tryDraw(sizeBytes)) return undefined;
    unreadBytes -= sizeBytes;
    try {
      const body = await readWhole(reply, createReplyMemory(sizeBytes, sizeBytes).hold());
      return { kind: 'whole', body, isError: false, isHeld: true, node: reply.node };
    } finally {
      unreadBytes += sizeBytes;
    }
  }
}
