import { ServiceError } from '../../base/service-error.ts';
import { Latencies } from './latencies.ts';
import { NodeSlots } from './node-slots.ts';

/** `unasked`: not known since the start or the last loss; `unstated`: the node answers, but does not say it. */
export type Genesis =
  | { readonly kind: 'unasked' | 'unstated' }
  | { readonly kind: 'hash'; readonly hash: string };

/** Weight of the latest call in the error rate. */
const LATEST = 0.1;
/** The share of slow reads halves in this time: what is known of them grows old. */
const SLOW_HALVES_MS = 20_000;
/** Failures in a row that open the circuit; one is enough where nothing could be sent. */
const OPENS_AFTER = 3;
/** A node that limits the rate of calls is spared this long. */
const BUSY_MS = 1_000;
/** A node that went backwards is not relied on for this long. */
const BACKWARDS_MS = 60_000;

/** What is known of one node from its answers: to clients' calls, and to probes. */
export class NodeHealth {
  readonly slots = new NodeSlots();
  /** Of light reads. */
  readonly latencies = new Latencies();
  genesis: Genesis = { kind: 'unasked' };
  /** The genesis hash that it said last, before a loss too. */
  lastHash: string | undefined;
  /** The oldest slot whose block it has; undefined while that is unknown. */
  firstSlot: number | undefined;
  /** The newest slot of which it had shreds when it was asked last; undefined while that is unknown. */
  shredSlot: number | undefined;
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

  /** The share of light reads that took too long, the latest weighing most: 0 to 1. Less of it is left the longer ago they were. */
  slowRate(nowMs: number): number {
    return this.#slow.rate * 0.5 ** ((nowMs - this.#slow.atMs) / SLOW_HALVES_MS);
  }

  isBusy(nowMs: number): boolean {
    return nowMs < this.#busyUntilMs;
  }

  /** Returns from which slot to which the node went back, if that was lately. */
  wentBack(nowMs: number): { readonly from: number; readonly to: number } | undefined {
    return this.#backwards !== undefined && nowMs < this.#backwards.untilMs ? this.#backwards : undefined;
  }

  /** Notes that a light read took too long. A node may hang on these, and say its slot as ever. */
  noteSlow(nowMs: number): void {
    this.#noteLight(1, nowMs);
  }

  /** Notes that a light read was answered after so many milliseconds. */
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
