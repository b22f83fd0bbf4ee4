import { ServiceError, serviceError } from '../../../core/service-error.ts';
import { UnsentCall } from '../upstream.ts';
import type { ExchangePool } from './exchange.ts';
import type { ReplyCollector, ReplyOwner } from './reply-collector.ts';

/** One in this number of connections is kept for urgent calls. */
const URGENT_SHARE = 16;
/** The share of connections that an account's streamed replies may use; above it they are the first to be cut off. */
const STREAM_SHARE = 4;
/** Longest total time that clients may stall a reply while their account is above its share. */
const HELD_MS = 1_000;
/** The same for any other account, once calls have waited for `SHORTAGE_MS`. */
const LONG_HELD_MS = 5_000;
const SHORTAGE_MS = 1_000;
const LOOK_MS = 250;
/** For this long after a reply was cut off, its account gets only the connections that others leave. */
const SCARCE_MS = 10_000;

/**
 * Shares the connections to one node among accounts. Any call takes a free connection. When none is free, urgent calls (the gateway's
 * own, and transactions) come first, then the accounts in turn, then accounts whose streamed replies use more than a quarter of the
 * connections. A waiting call cuts off a streamed reply that its client reads slowly: at once if the account is above that share,
 * after a second if the reply was stalled for five. A call that is cancelled while it waits was never sent.
 */
export class FairPool implements ReplyOwner {
  readonly #pool: ExchangePool;
  readonly #connections: number;
  readonly #ordinary: number;
  readonly #share: number;
  #inFlight = 0;
  readonly #urgent = new AccountQueue();
  readonly #waiting = new AccountQueue();
  /** The replies that are being streamed, and their number by account. */
  readonly #streams = new Set<ReplyCollector>();
  readonly #streamsOf = new Map<string | undefined, number>();
  #timer: NodeJS.Timeout | undefined;
  #shortSinceMs = 0;
  #scarceUntilMs = 0;

  constructor(pool: ExchangePool, connections: number) {
    this.#pool = pool;
    this.#connections = connections;
    this.#ordinary = connections - Math.floor(connections / URGENT_SHARE);
    this.#share = Math.max(1, Math.floor(connections / STREAM_SHARE));
  }

  /** Runs a call, now or when it has a connection. */
  dispatch(call: ReplyCollector): void {
    if (this.#inFlight < this.#limitOf(call)) {
      this.#start(call);
      return;
    }
    (call.isUrgent ? this.#urgent : this.#waiting).add(call);
    if (call.isUrgent || !this.#isAboveShare(call.accountId)) this.#breakOff(HELD_MS, performance.now());
    if (this.#timer !== undefined || this.#countWaiting() === 0) return;
    this.#shortSinceMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Cancels a call. */
  cancel(call: ReplyCollector, reason: Error): void {
    const isWaiting = this.#urgent.delete(call) || this.#waiting.delete(call);
    if (!isWaiting) this.#pool.forget(call);
    call.abort(isWaiting ? unsent(reason) : reason);
    if (this.#countWaiting() === 0) this.#stopLooking();
  }

  onStream(call: ReplyCollector): void {
    this.#streams.add(call);
    this.#streamsOf.set(call.accountId, this.#countStreams(call.accountId) + 1);
  }

  onOver(call: ReplyCollector): void {
    this.#inFlight -= 1;
    if (this.#streams.delete(call)) {
      const count = this.#countStreams(call.accountId) - 1;
      if (count === 0) this.#streamsOf.delete(call.accountId);
      else this.#streamsOf.set(call.accountId, count);
    }
    if (this.#countWaiting() > 0) this.#startWaiting();
  }

  /** Closes every connection; all calls fail. */
  close(): void {
    this.#stopLooking();
    const error = serviceError('upstreamUnavailable', {}, new Error('the connections were closed'));
    for (const queue of [this.#urgent, this.#waiting])
      for (let call = queue.take(); call !== undefined; call = queue.take()) call.onError(error);
    this.#pool.close();
  }

  #start(call: ReplyCollector): void {
    this.#inFlight += 1;
    call.owner = this;
    this.#pool.dispatch(call);
  }

  #startWaiting(): void {
    for (let call = this.#next(); call !== undefined; call = this.#next()) this.#start(call);
    if (this.#countWaiting() === 0) this.#stopLooking();
  }

  #next(): ReplyCollector | undefined {
    if (this.#inFlight >= this.#connections) return undefined;
    const urgent = this.#urgent.take();
    if (urgent !== undefined || this.#inFlight >= this.#ordinary) return urgent;
    const fair = this.#waiting.take((accountId) => !this.#isAboveShare(accountId));
    return fair ?? (this.#inFlight < this.#leftLimit() ? this.#waiting.take() : undefined);
  }

  #limitOf({ isUrgent, accountId }: ReplyCollector): number {
    if (isUrgent) return this.#connections;
    return this.#isAboveShare(accountId) ? this.#leftLimit() : this.#ordinary;
  }

  /** The limit of an account above its share. */
  #leftLimit(): number {
    const isScarce = this.#scarceUntilMs > 0 && performance.now() < this.#scarceUntilMs;
    return isScarce ? this.#ordinary - this.#share : this.#ordinary;
  }

  #isAboveShare(accountId: string | undefined): boolean {
    return this.#streams.size > this.#share && this.#countStreams(accountId) > this.#share;
  }

  #countStreams(accountId: string | undefined): number {
    return this.#streamsOf.get(accountId) ?? 0;
  }

  #countWaiting(): number {
    return this.#urgent.size + this.#waiting.size;
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const nowMs = performance.now();
    const isShort = nowMs - this.#shortSinceMs >= SHORTAGE_MS;
    for (let left = this.#countWaiting(); left > 0 && this.#countWaiting() > 0; left -= 1) {
      const isForOthers = this.#urgent.size > 0 || this.#waiting.has((each) => !this.#isAboveShare(each));
      const isFreed = isForOthers && this.#breakOff(HELD_MS, nowMs);
      if (!isFreed && !(isShort && this.#breakOff(LONG_HELD_MS, nowMs))) return;
    }
  }

  /** Cuts off the reply that was stalled longest, of the account with the most streams. @returns false if no reply qualifies. */
  #breakOff(leastHeldMs: number, nowMs: number): boolean {
    if (this.#streams.size < this.#share) return false;
    let slowest: ReplyCollector | undefined;
    let [most, longestMs] = [leastHeldMs === HELD_MS ? this.#share + 1 : 1, leastHeldMs];
    for (const call of this.#streams) {
      const [count, heldMs] = [this.#countStreams(call.accountId), call.heldMs(nowMs)];
      if (heldMs < leastHeldMs || count < most || (count === most && heldMs < longestMs)) continue;
      [slowest, most, longestMs] = [call, count, heldMs];
    }
    if (slowest === undefined) return false;
    if (leastHeldMs === HELD_MS) this.#scarceUntilMs = nowMs + SCARCE_MS;
    slowest.abort(serviceError('answerTakenTooSlowly'));
    return true;
  }
}

/** The error of a call that was cancelled before it got a connection; the node is not at fault. */
function unsent(reason: Error): Error {
  if (!(reason instanceof ServiceError)) return reason;
  return new ServiceError(
    reason.code,
    reason.context,
    new UnsentCall('no connection was free', { cause: reason }),
  );
}

/** Calls that wait, taken from their accounts by turns. */
class AccountQueue {
  readonly #accounts = new Map<string | undefined, Set<ReplyCollector>>();
  size = 0;

  add(call: ReplyCollector): void {
    const calls = this.#accounts.get(call.accountId);
    if (calls === undefined) this.#accounts.set(call.accountId, new Set([call]));
    else calls.add(call);
    this.size += 1;
  }

  delete(call: ReplyCollector): boolean {
    const calls = this.#accounts.get(call.accountId);
    if (calls?.delete(call) !== true) return false;
    if (calls.size === 0) this.#accounts.delete(call.accountId);
    this.size -= 1;
    return true;
  }

  has(isMeant: (accountId: string | undefined) => boolean): boolean {
    for (const accountId of this.#accounts.keys()) if (isMeant(accountId)) return true;
    return false;
  }

  /** Takes the first call of the next account among those that `isMeant` accepts. */
  take(isMeant: (accountId: string | undefined) => boolean = () => true): ReplyCollector | undefined {
    for (const [accountId, calls] of this.#accounts) {
      if (!isMeant(accountId)) continue;
      this.#accounts.delete(accountId);
      for (const call of calls) {
        calls.delete(call);
        if (calls.size > 0) this.#accounts.set(accountId, calls);
        this.size -= 1;
        return call;
      }
    }
    return undefined;
  }
}
