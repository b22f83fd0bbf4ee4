import { isMethodName, METHODS } from '../../../../generated/ledger/methods.ts';
import { SLOT_FACTS } from '../../../../generated/ledger/slots.ts';
import type { Context } from '../../../core/rpc/context.ts';
import type { Call } from '../../../core/rpc/call.ts';
import type { LedgerReply } from '../outcome.ts';
import { readAnswerSlot } from '../read-your-writes/answer-slot.ts';
import type { ReadYourWrites } from '../read-your-writes/read-your-writes.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type KeptAnswer, keepAnswer, replyFrom } from './kept-answer.ts';

/** `collapsed`: answered by another client's identical call in flight. */
export type CacheOutcome = 'hit' | 'collapsed' | 'miss';

export type CacheOptions = {
  readonly answers: AnswerCache;
  /** The network: networks never share answers. */
  readonly network: string;
  /** Changes when the ledger behind the network is reset; earlier answers become unreachable. */
  readonly generation: () => number;
  /** Milliseconds for which an answer of a `slot` method is reused, counted from the request to the node. */
  readonly slotMs: () => number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  readonly onOutcome: (method: string, outcome: CacheOutcome) => void;
  /** Absent: any kept answer will do. */
  readonly readYourWrites?: Pick<ReadYourWrites, 'isBehind' | 'noteAnswer'> | undefined;
};

/** The outcome of the call that was sent to the node. `left`: its client disconnected, and another call must be sent. */
export type Landing = KeptAnswer | 'notKept' | 'left';

/** A call in flight to the node. Identical calls before `untilMs` wait for it. */
export type Flight = {
  readonly asked: Asked;
  readonly landing: Promise<Landing>;
  readonly land: (landing: Landing) => void;
};

/** A request to the node, whose answer is kept under the key until `untilMs`. */
export type Asked = { readonly key: string; readonly untilMs: number };

type Keyed = Extract<CacheKey, { readonly kind: 'key' }>;

/** The kept answers of one network, and those in flight. */
export class SharedAnswers {
  readonly options: CacheOptions;
  readonly #flights = new Map<string, Flight>();

  constructor(options: CacheOptions) {
    this.options = options;
  }

  keyOf({ key }: Keyed): string {
    const { network, generation } = this.options;
    return `${network}#${generation()} ${key}`;
  }

  /** Returns the cache entry that a call sent to the node now would fill. */
  ask(key: string, { isSlotBound }: Keyed): Asked {
    const { slotMs, nowMs } = this.options;
    return { key, untilMs: isSlotBound ? nowMs() + slotMs() : Infinity };
  }

  /** Returns the flight that a call which arrived at `comesMs` can wait for. */
  flightOf(key: string, comesMs: number): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight !== undefined && comesMs < flight.asked.untilMs ? flight : undefined;
  }

  /** Creates a flight that has not taken off. Until then it may wait for its turn, and only its own batch waits for it. */
  prepare(asked: Asked): Flight {
    const { promise, resolve } = Promise.withResolvers<Landing>();
    const land = (landing: Landing): void => {
      if (this.#flights.get(asked.key) === flight) this.#flights.delete(asked.key);
      resolve(landing);
    };
    const flight: Flight = { asked, landing: promise, land };
    return flight;
  }

  /** Makes identical calls wait for this one until it lands. @returns false if they already wait for another. */
  takeOff(flight: Flight): boolean {
    const { key } = flight.asked;
    if (this.flightOf(key, this.options.nowMs()) !== undefined) return false;
    this.#flights.set(key, flight);
    return true;
  }

  /**
   * Returns a kept answer as the reply to a call; undefined if its request has no room to hold a large one, or its reader has
   * seen a later state.
   */
  handOut(
    kept: KeptAnswer,
    outcome: 'hit' | 'collapsed',
    call: Call,
    context: Context,
  ): LedgerReply | undefined {
    const { readYourWrites } = this.options;
    if (kept.at !== undefined && readYourWrites?.isBehind(call, kept.at, context)) return undefined;
    const reply = replyFrom(kept, call.id, context.hold);
    if (reply === undefined) return undefined;
    if (kept.at !== undefined) readYourWrites?.noteAnswer(call, kept.at, context);
    this.options.onOutcome(call.method, outcome);
    return { ...reply, cacheStatus: outcome === 'hit' ? 'hit' : 'fwd=miss; collapsed' };
  }

  /** The slot of the node of an answer, where the answer holds for a slot: others are the same at all nodes. */
  #at({ method }: Call, body: Buffer, untilMs: number): Pick<KeptAnswer, 'at'> {
    if (this.options.readYourWrites === undefined || untilMs === Infinity || !isMethodName(method)) return {};
    return { at: readAnswerSlot(SLOT_FACTS[method], body) };
  }

  /** Stores a whole reply if it may be kept. @returns the kept form, and whether it is stored. */
  keep({ key, untilMs }: Asked, body: Buffer, call: Call) {
    const { answers, nowMs } = this.options;
    const answer = keepAnswer(body, call.id);
    const kept = answer && { ...answer, ...this.#at(call, body, untilMs) };
    return { kept, isStored: kept !== undefined && answers.put(key, kept, { untilMs, nowMs: nowMs() }) };
  }
}

/** Calls with longer params are hardly ever repeated. */
const MAX_PARAMS_BYTES = 1024;

/**
 * `isSlotBound`: the answer is valid for one slot time, otherwise for ever. `unfit`: the spec lets such answers be kept, but
 * not this one; `uncacheable`: the spec does not.
 */
export type CacheKey =
  | { readonly kind: 'key'; readonly key: string; readonly isSlotBound: boolean }
  | { readonly kind: 'unfit' }
  | { readonly kind: 'uncacheable' };

const UNFIT: CacheKey = { kind: 'unfit' };
const UNCACHEABLE: CacheKey = { kind: 'uncacheable' };

/** The commitments at which answers are kept. Nodes default to `finalized`. */
const KEPT_AT: Readonly<Record<'final' | 'slot', readonly unknown[]>> = {
  final: [undefined, null, 'finalized'],
  slot: [undefined, null, 'finalized', 'confirmed'],
};

/** The validity of each cacheable method's answers. */
const HOLDS: ReadonlyMap<string, 'immutable' | 'final' | 'slot'> = new Map(
  Object.values(METHODS).flatMap(({ name, cache, served }) =>
    served === 'gateway' || cache === 'none' ? [] : [[name, cache] as const],
  ),
);

/** True if the spec lets answers of the method be kept. */
export function isCacheable({ method }: Call): boolean {
  return HOLDS.has(method);
}

/**
 * Returns the key of a call's answer: the method and the bytes of its params. Only methods that the spec declares `immutable`,
 * `final` ones that ask for finalized data, and `slot` ones that do not ask for processed data, have a key
 * (docs/decisions/0011-cached-answers.md).
 */
export function cacheKeyOf({ method, params, raw, paramsAt, isNotification }: Call): CacheKey {
  const cache = HOLDS.get(method);
  if (isNotification || cache === undefined) return UNCACHEABLE;
  if (cache !== 'immutable' && !asksAt(KEPT_AT[cache], params)) return UNFIT;
  const isSlotBound = cache === 'slot';
  if (paramsAt === undefined) return { kind: 'key', key: method, isSlotBound };
  const { start, end } = paramsAt;
  if (end - start > MAX_PARAMS_BYTES) return UNFIT;
  return { kind: 'key', key: `${method} ${raw.toString('utf8', start, end)}`, isSlotBound };
}

/** True if no config of the call names any other commitment. */
function asksAt(commitments: readonly unknown[], params: unknown): boolean {
  return (Array.isArray(params) ? params : [params]).every((param) =>
    commitments.includes(commitmentOf(param)),
  );
}

function commitmentOf(param: unknown): unknown {
  return typeof param === 'object' && param !== null && 'commitment' in param ? param.commitment : undefined;
}
