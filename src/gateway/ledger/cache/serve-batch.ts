import type { Context } from '../../../core/rpc/context.ts';
import type { Call } from '../../../core/rpc/call.ts';
import { withPermit } from '../../../core/rpc/semaphore.ts';
import { NOT_BATCHED } from '../../nodes/with-batches.ts';
import type { LedgerReply, Outcome } from '../outcome.ts';
import type { Ledger } from '../ledger.ts';
import {
  type CacheKey,
  cacheKeyOf,
  isCacheable,
  type Asked,
  type Flight,
  type SharedAnswers,
} from './shared-answers.ts';
import type { KeptAnswer } from './kept-answer.ts';

export type TogetherOptions = { readonly ledger: Ledger; readonly shared: SharedAnswers };

type Placed = { readonly place: number; readonly call: Call };

/** A call that waits for the answer to another one. */
type Waiting = Placed & {
  readonly flight: Flight;
  readonly key: string;
  readonly found: Extract<CacheKey, { readonly kind: 'key' }>;
};

/**
 * A call that the cache does not answer. `noRoom`: the answer is kept, but the request has no room to hold it. If it has a
 * flight, others wait for the answer.
 */
type Passed = Placed &
  (
    | { readonly kind: 'uncacheable' | 'unfit' | 'noRoom' }
    | { readonly kind: 'asked'; readonly asked: Asked; readonly flight: Flight | undefined }
  );

/** Answers calls like `withCache`; those that need the node are sent together. Never rejects. */
export async function serveBatch(
  calls: readonly Call[],
  context: Context,
  options: TogetherOptions,
): Promise<readonly Outcome[]> {
  if (!calls.some(isCacheable)) return options.ledger.serveBatch(calls, context);
  const batch = new CachedBatch(calls.length, context, options);
  for (const [place, call] of calls.entries()) batch.add({ place, call }, cacheKeyOf(call));
  return await batch.serve();
}

class CachedBatch {
  readonly #context: Context;
  readonly #options: TogetherOptions;
  readonly #comesMs: number;
  readonly #outcomes: Outcome[];
  readonly #passed: Passed[] = [];
  readonly #waiting: Waiting[] = [];
  /** The batch's own requests to the node, by key: an identical call waits. */
  readonly #own = new Map<string, Flight>();

  constructor(size: number, context: Context, options: TogetherOptions) {
    this.#context = context;
    this.#options = options;
    this.#comesMs = options.shared.options.nowMs();
    this.#outcomes = new Array(size).fill(NOT_BATCHED);
  }

  /** Answers a call if the answer is kept, or records what it must wait for. */
  add(placed: Placed, found: CacheKey): void {
    const { shared } = this.#options;
    if (found.kind !== 'key') {
      this.#passed.push({ ...placed, kind: found.kind });
      return;
    }
    const key = shared.keyOf(found);
    const kept = shared.options.answers.get(key, this.#comesMs);
    if (kept !== undefined) {
      this.#handOut(placed, kept, 'hit', this.#passed);
      return;
    }
    const flight = this.#own.get(key) ?? shared.flightOf(key, this.#comesMs);
    if (flight !== undefined) {
      this.#waiting.push({ ...placed, flight, key, found });
      return;
    }
    const asked = shared.ask(key, found);
    const own = shared.prepare(asked);
    this.#own.set(key, own);
    this.#passed.push({ ...placed, kind: 'asked', asked, flight: own });
  }

  async serve(): Promise<readonly Outcome[]> {
    const passing = this.#pass(this.#passed);
    const landed = await this.#waitForFlights();
    await Promise.all([passing, this.#pass(landed)]);
    return this.#outcomes;
  }

  /**
   * @returns the calls that must go to the node themselves. A call whose flight was abandoned is served on its own: it may lead
   *   another.
   */
  async #waitForFlights(): Promise<readonly Passed[]> {
    const { shared } = this.#options;
    const { signal } = this.#context;
    const passed: Passed[] = [];
    for (const { place, call, flight, key, found } of this.#waiting) {
      const landing = await flight.landing;
      if (signal.aborted) this.#outcomes[place] = { kind: 'failure', error: signal.reason };
      else if (landing === 'notKept')
        passed.push({ place, call, kind: 'asked', asked: shared.ask(key, found), flight: undefined });
      else if (landing !== 'left') this.#handOut({ place, call }, landing, 'collapsed', passed);
    }
    return passed;
  }

  #handOut(placed: Placed, kept: KeptAnswer, outcome: 'hit' | 'collapsed', passed: Passed[]): void {
    const { place, call } = placed;
    const reply = this.#options.shared.handOut(kept, outcome, call, this.#context);
    if (reply === undefined) passed.push({ place, call, kind: 'noRoom' });
    else this.#outcomes[place] = this.#hold(reply);
  }

  /** A reply that waits for the others reserves its memory at once. */
  #hold(reply: LedgerReply): Outcome {
    if (reply.kind !== 'whole') return reply;
    try {
      this.#context.hold.reserve(reply.body.length);
    } catch (error) {
      return { kind: 'failure', error };
    }
    return { ...reply, isHeld: true };
  }

  async #pass(passed: readonly Passed[]): Promise<void> {
    if (passed.length === 0) return;
    const calls = passed.map(({ call }) => call);
    try {
      const outcomes = await withPermit(this.#context.semaphore, () => this.#send(passed, calls));
      for (const [index, one] of passed.entries())
        this.#outcomes[one.place] = this.#settle(one, outcomes[index] ?? NOT_BATCHED);
    } finally {
      // A flight that does not land would be waited for until the process ends.
      for (const one of passed) if (one.kind === 'asked') one.flight?.land('left');
    }
  }

  #send(passed: readonly Passed[], calls: readonly Call[]): Promise<readonly Outcome[]> {
    const { ledger, shared } = this.#options;
    for (const one of passed)
      if (one.kind === 'asked' && one.flight !== undefined) shared.takeOff(one.flight);
    return ledger.serveBatch(calls, { ...this.#context, semaphore: undefined });
  }

  /** Keeps what may be kept. A call to be served on its own will be sent again: it has no outcome yet. */
  #settle(passed: Passed, outcome: Outcome): Outcome {
    const { call, kind } = passed;
    const { shared } = this.#options;
    if (kind === 'uncacheable') return outcome;
    if (outcome.kind !== 'not-batched' && kind !== 'unfit') shared.options.onOutcome(call.method, 'miss');
    if (outcome.kind === 'not-batched' || outcome.kind === 'failure') {
      const isLeft = outcome.kind === 'not-batched' || this.#context.signal.aborted;
      if (kind === 'asked') passed.flight?.land(isLeft ? 'left' : 'notKept');
      return outcome;
    }
    if (kind !== 'asked') return { ...outcome, cacheStatus: 'fwd=bypass' };
    const kept = outcome.kind === 'whole' ? shared.keep(passed.asked, outcome.body, call) : undefined;
    passed.flight?.land(kept?.kept ?? 'notKept');
    return { ...outcome, cacheStatus: kept?.isStored === true ? 'fwd=miss; stored' : 'fwd=miss' };
  }
}
