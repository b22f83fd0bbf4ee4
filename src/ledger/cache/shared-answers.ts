import type { Context } from '../../rpc/context.ts';
import type { Call } from '../../rpc/call.ts';
import type { LedgerReply } from '../outcome.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { CacheKey } from './cache-key.ts';
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
  readonly slotMs: () => number;
  /** Milliseconds from any start; never set back. */
  readonly nowMs: () => number;
  readonly onOutcome: (method: string, outcome: CacheOutcome) => void;
};

/** What the call that went to the node came to. `left`: its client gave it up, and another one has to go. */
export type Landing = KeptAnswer | 'notKept' | 'left';

/** A call on its way to the node. Whoever asks the same before `untilMs` waits for it. */
export type Flight = {
  readonly asked: Asked;
  readonly landing: Promise<Landing>;
  readonly land: (landing: Landing) => void;
};

/** What is asked of the node, to be kept under the key until `untilMs`. */
export type Asked = { readonly key: string; readonly untilMs: number };

type Keyed = Extract<CacheKey, { readonly kind: 'key' }>;

/** The answers that are kept of one network, and those that are on their way. */
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

  /** What a call that goes to the node now asks for. */
  ask(key: string, { isSlotBound }: Keyed): Asked {
    const { slotMs, nowMs } = this.options;
    return { key, untilMs: isSlotBound ? nowMs() + slotMs() : Infinity };
  }

  /** The flight that a call waits for which came at `comesMs`. */
  flightOf(key: string, comesMs: number): Flight | undefined {
    const flight = this.#flights.get(key);
    return flight !== undefined && comesMs < flight.asked.untilMs ? flight : undefined;
  }

  /** A call that is to be sent. Before it takes off it may wait for its turn, and nobody but its own batch waits for it. */
  prepare(asked: Asked): Flight {
    const { promise, resolve } = Promise.withResolvers<Landing>();
    const land = (landing: Landing): void => {
      if (this.#flights.get(asked.key) === flight) this.#flights.delete(asked.key);
      resolve(landing);
    };
    const flight: Flight = { asked, landing: promise, land };
    return flight;
  }

  /** From now until it lands, all who ask the same wait for this call. @returns false where they wait for another one. */
  takeOff(flight: Flight): boolean {
    const { key } = flight.asked;
    if (this.flightOf(key, this.options.nowMs()) !== undefined) return false;
    this.#flights.set(key, flight);
    return true;
  }

  /** What is kept, as the reply to a call; undefined where its request has no room to hold a large one. */
  handOut(
    kept: KeptAnswer,
    outcome: 'hit' | 'collapsed',
    call: Call,
    { hold }: Context,
  ): LedgerReply | undefined {
    const reply = replyFrom(kept, call.id, hold);
    if (reply === undefined) return undefined;
    this.options.onOutcome(call.method, outcome);
    return { ...reply, cacheStatus: outcome === 'hit' ? 'hit' : 'fwd=miss; collapsed' };
  }

  /** What may be kept of a whole reply, and whether it is. */
  keep({ key, untilMs }: Asked, body: Buffer, call: Call) {
    const { answers, nowMs } = this.options;
    const kept = keepAnswer(body, call.id);
    return { kept, isStored: kept !== undefined && answers.put(key, kept, { untilMs, nowMs: nowMs() }) };
  }
}
