import { ServiceError } from '../../../core/service-error.ts';
import type { SaidConsensus } from './consensus.ts';
import { COMMITMENTS, type Commitment, type Slots } from '../../../core/rpc/commitment.ts';

/** `unasked`: not known since the start or the last loss; `unstated`: the node answers, but does not report it. */
export type Genesis =
  | { readonly kind: 'unasked' | 'unstated' }
  | { readonly kind: 'hash'; readonly hash: string };

/** Weight of the latest call in the error rate. */
const LATEST = 0.1;
/** The share of slow reads halves in this time, so that old readings fade. */
const SLOW_HALVES_MS = 20_000;
/** Failures in a row that open the circuit; one is enough where nothing could be sent. */
const OPENS_AFTER = 3;
/** A node that limits the rate of calls is spared this long. */
const BUSY_MS = 1_000;
/** A node that went backwards is not relied on for this long. */
const BACKWARDS_MS = 60_000;

/** The health of one node, from its answers to clients' calls and to probes. */
export class NodeHealth {
  readonly slots = new NodeSlots();
  /** Of light reads. */
  readonly latencies = new Latencies();
  genesis: Genesis = { kind: 'unasked' };
  /** The genesis hash that it reported last, even before a loss. */
  lastHash: string | undefined;
  /** The consensus that it reports for its network. */
  consensus: SaidConsensus = { kind: 'unknown' };
  /** The oldest slot whose block it has; undefined while that is unknown. */
  firstSlot: number | undefined;
  /** The number of slots with shreds that it had not processed when it was last asked; undefined while that is unknown. */
  shredsAhead: number | undefined;
  /** The reason why its slot does not move, as an embedded ledger reports it. */
  rest: string | undefined;
  /** Milliseconds that the last probe took; undefined until one was answered. */
  probeMs: number | undefined;
  /** True while it has been too far behind and has not caught up. */
  isLagging = false;
  #errorRate = 0;
  #slow = { rate: 0, atMs: 0 };
  #failuresInRow = 0;
  #isOpen = false;
  #lastFailure = '';
  #busyUntilMs = 0;
  #backwards: { readonly from: number; readonly to: number; readonly untilMs: number } | undefined;

  /** True while the circuit is open: clients' calls go elsewhere until a probe is answered. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The share of calls that failed, the latest weighing most: 0 to 1. */
  get errorRate(): number {
    return this.#errorRate;
  }

  /** The name of the error of the last failure; empty if there was none. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** The share of light reads that took too long, 0 to 1. The latest weigh most, and the share decays with time. */
  slowRate(nowMs: number): number {
    return this.#slow.rate * 0.5 ** ((nowMs - this.#slow.atMs) / SLOW_HALVES_MS);
  }

  isBusy(nowMs: number): boolean {
    return nowMs < this.#busyUntilMs;
  }

  /** Returns the slots between which the node went back, if that was recently. */
  wentBack(nowMs: number): { readonly from: number; readonly to: number } | undefined {
    return this.#backwards !== undefined && nowMs < this.#backwards.untilMs ? this.#backwards : undefined;
  }

  /** Records that a light read took too long. A node may hang on reads and still report its slot. */
  noteSlow(nowMs: number): void {
    this.#noteLight(1, nowMs);
  }

  /** Notes the milliseconds after which a light read was answered. */
  noteLatency(tookMs: number, nowMs: number): void {
    this.latencies.add(tookMs);
    if (this.#slow.rate > 0) this.#noteLight(0, nowMs);
  }

  #noteLight(slow: 0 | 1, nowMs: number): void {
    const rate = this.slowRate(nowMs);
    this.#slow = { rate: rate + LATEST * (slow - rate), atMs: nowMs };
  }

  noteAnswer(): void {
    this.#errorRate *= 1 - LATEST;
    this.#failuresInRow = 0;
  }

  /** Notes a call that failed. @returns true if the circuit has opened. */
  noteFailure(error: unknown, nowMs: number): boolean {
    if (!(error instanceof ServiceError)) return false;
    const { code } = error;
    if (code === 'upstreamBusy') this.#busyUntilMs = nowMs + BUSY_MS;
    if (code !== 'upstreamUnavailable' && code !== 'upstreamBroken' && code !== 'upstreamTimeout')
      return false;
    this.#lastFailure = code;
    this.#errorRate += LATEST * (1 - this.#errorRate);
    this.#failuresInRow++;
    const wasOpen = this.#isOpen;
    if (code === 'upstreamUnavailable' || this.#failuresInRow >= OPENS_AFTER) this.#isOpen = true;
    if (code === 'upstreamUnavailable') this.genesis = { kind: 'unasked' };
    return this.#isOpen && !wasOpen;
  }

  /** Notes that a probe was answered: the circuit closes. */
  noteProbe(tookMs: number): void {
    this.probeMs = tookMs;
    if (this.#isOpen) this.#errorRate = 0;
    this.#isOpen = false;
    this.noteAnswer();
  }

  noteBackwards(from: number, to: number, nowMs: number): void {
    this.#backwards = { from, to, untilMs: nowMs + BACKWARDS_MS };
  }
}

const KEPT = 128;
/** Fewer answers give no quantile. */
const LEAST = 32;
/** The quantile is computed again after this many answers. */
const STEP = 32;
const QUANTILE = 0.95;

/** The times that the last answers of a node took. */
class Latencies {
  readonly #ms = new Float64Array(KEPT);
  #count = 0;
  #p95Ms: number | undefined;
  /** The count at which it was computed. */
  #measuredAt = 0;

  add(ms: number): void {
    this.#ms[this.#count % KEPT] = ms;
    this.#count++;
  }

  /** Milliseconds within which 95 of 100 answers came; undefined until there are enough of them. */
  get p95Ms(): number | undefined {
    if (this.#count >= LEAST && this.#count >= this.#measuredAt + STEP) {
      this.#p95Ms = this.#measure();
      this.#measuredAt = this.#count;
    }
    return this.#p95Ms;
  }

  #measure(): number | undefined {
    const sorted = this.#ms.slice(0, Math.min(this.#count, KEPT)).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * QUANTILE))];
  }
}

type Mark = { readonly slot: number; readonly atMs: number };

/** A slot of another fork is behind the newest by at most this many. */
const FORK_SLOTS = 64;

const UNKNOWN: Mark = { slot: 0, atMs: 0 };

/** The newest slots that one node is known to have reached, by commitment, and the times at which that became known. */
class NodeSlots implements Slots {
  /** The last time its newest processed slot rose; 0: never yet. */
  risenAtMs = 0;
  readonly #marks: Record<Commitment, Mark> = { processed: UNKNOWN, confirmed: UNKNOWN, finalized: UNKNOWN };

  get processed(): number {
    return this.#marks.processed.slot;
  }

  get confirmed(): number {
    return this.#marks.confirmed.slot;
  }

  get finalized(): number {
    return this.#marks.finalized.slot;
  }

  /** Notes a slot of an answer or a notification, and with it what comes before it: finalized slots are confirmed, too. */
  note(commitment: Commitment, slot: number, nowMs: number): void {
    if (slot > this.processed) this.risenAtMs = nowMs;
    for (const each of COMMITMENTS) {
      if (slot >= this.#marks[each].slot) this.#marks[each] = { slot, atMs: nowMs };
      if (each === commitment) return;
    }
  }

  /**
   * Records the slot that the node gave when asked for it. It may be lower than the known one if several nodes share the address.
   *
   * @returns the slot that it went back from, if that is more than a fork explains.
   */
  read(commitment: Commitment, slot: number, nowMs: number): number | undefined {
    const known = this.#marks[commitment].slot;
    if (commitment === 'processed' && slot !== known) this.risenAtMs = nowMs;
    this.#marks[commitment] = { slot, atMs: nowMs };
    return known - slot > FORK_SLOTS ? known : undefined;
  }

  /** Returns the slot that the node has by now, if it has kept to the pace since; 0 if none is known. */
  expected(commitment: Commitment, nowMs: number, slotMs: number | undefined): number {
    const { slot, atMs } = this.#marks[commitment];
    return slot === 0 || slotMs === undefined ? slot : slot + (nowMs - atMs) / slotMs;
  }

  /** Forgets everything: the node has another chain. */
  clear(): void {
    this.risenAtMs = 0;
    for (const each of COMMITMENTS) this.#marks[each] = UNKNOWN;
  }
}
