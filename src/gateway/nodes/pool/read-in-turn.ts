import { ServiceError, serviceError } from '../../../core/service-error.ts';
import { CallSignal } from '../../../core/rpc/call-signal.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import type { Judgement, UpstreamRequest } from '../upstream.ts';
import { attempt, isLight, mayMoveOn, noteSlot } from './attempt.ts';
import { judgeReply } from './judge-reply.ts';
import type { PoolNode } from './pool-node.ts';

/** The reason to send a read to another node as well. */
export type FailoverReason = 'failed' | 'behind' | 'absent' | 'slow' | 'hedged';

export type ReadAttempts = {
  /** Returns the next node to ask, given the nodes that lack the data; undefined if no node is left. */
  readonly pick: (
    request: UpstreamRequest,
    tried: readonly PoolNode[],
    lacking: readonly PoolNode[],
  ) => PoolNode | undefined;
  /** Returns the milliseconds after which a hedge is sent, if the budget allows; undefined: the read is not hedged. */
  readonly hedgeAfterMs: (node: PoolNode, request: UpstreamRequest) => number | undefined;
  /** Called before a hedge. @returns false if it must not be sent. */
  readonly mayHedge: () => boolean;
  /** Milliseconds after which another node is asked in any case. */
  readonly patienceMs: () => number;
  readonly onFailover: (node: PoolNode, reason: FailoverReason) => void;
};

/** All nodes that were asked have failed, and one of them with a reply that says so. */
export class FailedReply extends Error {
  override readonly name = 'FailedReply';
  readonly reply: UpstreamReply;

  constructor(reply: UpstreamReply) {
    super('the nodes failed');
    this.reply = reply;
  }
}

/** A read that failed at every node that could be asked. */
export type Failure = { readonly kind: 'failure'; readonly error: FailedReply | ServiceError };

/** The reply of a node that failed, if one has replied. @throws ServiceError of the last one, if none has. */
export function failedReply({ error }: Failure): UpstreamReply {
  if (error instanceof FailedReply) return error.reply;
  throw error;
}

/** The interval between looks for another node, while the one asked is slow and no other can be asked. */
const LOOK_AGAIN_MS = 200;
/** After this long, a node that failed a read is asked again if all others are slow: it may have recovered. */
const ASK_AGAIN_MS = 1_000;
/** After a slow node, a light read waits this many times shorter for the next ones. */
const HURRY = 5;
/** After this long, a node that was behind may have caught up. */
const CATCH_UP_MS = 200;
/** A light read that another node has answered may run for this long: to cancel it would cost its connection. */
const FINISH_MS = 1_000;
/** The read was answered by another node. */
const BEATEN = new Error('another node has answered');

/**
 * Sends a read to one node after the other until one has a good reply: the next is asked when one fails or is slow, and the first
 * good reply wins. While the last ones are slow, nodes that failed are asked again, at most once a second each, and nodes that were
 * behind at most five times a second. A light read is sent once more to a slow node: it may have lost the first.
 *
 * @returns the reply; `behind`: all that could be asked were behind.
 * @throws FailedReply; ServiceError of the last node; `upstreamUnavailable` if there was none.
 */
export function readInTurn(request: UpstreamRequest, turns: ReadAttempts): Promise<UpstreamReply | 'behind'> {
  return new Promise((resolve, reject) => new Reading(request, turns, resolve, reject).next());
}

class Reading {
  readonly #request: UpstreamRequest;
  readonly #turns: ReadAttempts;
  readonly #resolve: (reply: UpstreamReply | 'behind') => void;
  readonly #reject: (error: unknown) => void;
  readonly #tried: PoolNode[] = [];
  readonly #lacking: PoolNode[] = [];
  /** The time at which each node that failed or was behind may be asked again. */
  readonly #againAtMs = new Map<PoolNode, number>();
  /** The nodes that took too long. */
  readonly #slow = new Set<PoolNode>();
  /** The number of times that a node was asked. */
  #asked = 0;
  readonly #running = new Set<CallSignal>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Replies kept in case no other node has a better one. */
  readonly #spare: { behind?: UpstreamReply; absent?: UpstreamReply; failed?: UpstreamReply } = {};
  #failure: ServiceError | undefined;

  constructor(
    request: UpstreamRequest,
    turns: ReadAttempts,
    resolve: (reply: UpstreamReply | 'behind') => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#turns = turns;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Asks the next node. */
  next(): void {
    const node = this.#turns.pick(this.#request, this.#tried, this.#lacking);
    if (node !== undefined) this.#ask(node);
    else if (this.#running.size === 0) this.#end();
  }

  #ask(node: PoolNode): void {
    this.#tried.push(node);
    this.#asked++;
    const signal = new CallSignal();
    const forget = this.#request.signal.onAbort((reason) => signal.abort(reason));
    this.#running.add(signal);
    this.#watch(node);
    attempt(node, { ...this.#request, signal }).then(
      (reply) => {
        this.#running.delete(signal);
        if (reply.kind === 'stream') reply.body.once('close', forget);
        else forget();
        this.#take(node, reply);
      },
      (error: unknown) => {
        this.#running.delete(signal);
        forget();
        this.#fail(node, error);
      },
    );
  }

  /** Asks another node as well when this one is slow. Only the first node asked is hedged. */
  #watch(node: PoolNode): void {
    clearTimeout(this.#timer);
    const { hedgeAfterMs, mayHedge, patienceMs } = this.#turns;
    const slowMs = this.#slow.size > 0 && isLight(this.#request) ? patienceMs() / HURRY : patienceMs();
    const asked = this.#asked;
    const isLast = (): boolean => !this.#isOver && this.#asked === asked;
    const tire = (): void => this.#tire(node);
    const hedgeMs = this.#asked > 1 ? undefined : hedgeAfterMs(node, this.#request);
    if (hedgeMs === undefined || hedgeMs >= slowMs) {
      if (slowMs !== Number.POSITIVE_INFINITY) this.#timer = setTimeout(tire, slowMs);
      return;
    }
    this.#timer = setTimeout(() => {
      if (mayHedge()) this.#moveOn(node, 'hedged');
      if (isLast()) this.#timer = setTimeout(tire, slowMs - hedgeMs);
    }, hedgeMs);
  }

  #tire(node: PoolNode): void {
    const isLost = isLight(this.#request) && !this.#slow.has(node);
    if (isLost) this.#askAgainAfter(node, this.#turns.patienceMs());
    // Nodes that are asked later get less time, so their slowness does not count.
    if (isLost && this.#slow.size === 0) node.health.noteSlow(performance.now());
    this.#slow.add(node);
    this.#lookAgain(node);
  }

  /** Asks a node that has become available while the others are slow. */
  #lookAgain(node: PoolNode): void {
    this.#allowAgain();
    this.#moveOn(node, 'slow');
  }

  #take(node: PoolNode, reply: UpstreamReply): void {
    if (this.#isOver) {
      drop(reply);
      this.#stopWaiting();
      return;
    }
    const shown = this.#request.slotOf?.(reply);
    if (shown !== undefined) noteSlot(node, shown);
    const judgement = judgeReply(reply, this.#request);
    if (judgement === 'good') {
      this.#finish(() => this.#resolve(reply));
      for (const spare of Object.values(this.#spare)) drop(spare);
      return;
    }
    if (judgement === 'failed') this.#askAgainAfter(node, ASK_AGAIN_MS);
    if (judgement === 'behind') this.#askAgainAfter(node, CATCH_UP_MS);
    if (judgement === 'absent') this.#lacking.push(node);
    this.#spareReply(judgement, reply);
    this.#moveOn(node, judgement);
  }

  /** Keeps the first reply of a kind; of incomplete ones, the one that lacks least. */
  #spareReply(kind: Exclude<Judgement, 'good'>, reply: UpstreamReply): void {
    const kept = this.#spare[kind];
    const { lacks } = this.#request;
    const isBetter =
      kept === undefined || (kind === 'absent' && lacks !== undefined && lacks(reply) < lacks(kept));
    if (isBetter) this.#spare[kind] = reply;
    const dropped = isBetter ? kept : reply;
    if (dropped !== undefined) drop(dropped);
  }

  #fail(node: PoolNode, error: unknown): void {
    if (this.#isOver) {
      this.#stopWaiting();
      return;
    }
    if (mayMoveOn(this.#request, error)) {
      this.#failure = error;
      this.#askAgainAfter(node, ASK_AGAIN_MS);
      this.#moveOn(node, 'failed');
    } else if (this.#spare.absent !== undefined && isOutOfTime(this.#request)) this.#end();
    else this.#finish(() => this.#reject(error));
  }

  #askAgainAfter(node: PoolNode, ms: number): void {
    this.#againAtMs.set(node, performance.now() + ms);
  }

  /** Allows nodes to be asked again whose failure is long enough ago, or that may have caught up. */
  #allowAgain(): void {
    const nowMs = performance.now();
    for (const [node, atMs] of this.#againAtMs) {
      if (atMs > nowMs) continue;
      this.#againAtMs.delete(node);
      const place = this.#tried.indexOf(node);
      if (place >= 0) this.#tried.splice(place, 1);
    }
  }

  /** Asks another node; without one, and while a node is slow, looks again later. */
  #moveOn(node: PoolNode, reason: FailoverReason): void {
    const asked = this.#asked;
    this.next();
    if (this.#asked > asked) this.#turns.onFailover(node, reason);
    else if (this.#slow.size > 0 && !this.#isOver) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#lookAgain(node), LOOK_AGAIN_MS);
    }
  }

  /** Ends with the best reply so far: no node or no time is left. */
  #end(): void {
    const { behind, absent, failed } = this.#spare;
    const isBehind = behind !== undefined && this.#request.reach !== undefined;
    const kept = absent ?? (isBehind ? 'behind' : undefined) ?? (failed === undefined ? behind : undefined);
    this.#finish(() => {
      if (kept !== undefined) this.#resolve(kept);
      else if (failed !== undefined) this.#reject(new FailedReply(failed));
      else this.#reject(this.#failure ?? serviceError('upstreamUnavailable'));
    });
    for (const reply of [behind, absent]) if (reply !== undefined && reply !== kept) drop(reply);
  }

  #finish(settle: () => void): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#running.size > 0) this.#leaveRunning();
    settle();
  }

  #leaveRunning(): void {
    const cancel = (): void => {
      for (const signal of this.#running) signal.abort(BEATEN);
    };
    if (isLight(this.#request)) this.#timer = setTimeout(cancel, FINISH_MS).unref();
    else cancel();
  }

  /** Called when the last of the abandoned reads has ended. */
  #stopWaiting(): void {
    if (this.#running.size === 0) clearTimeout(this.#timer);
  }
}

/** True if the deadline has passed; false if the client has left. */
function isOutOfTime({ signal: { reason } }: UpstreamRequest): boolean {
  return reason instanceof ServiceError && reason.code === 'upstreamTimeout';
}

function drop(reply: UpstreamReply): void {
  if (reply.kind === 'stream') reply.body.on('error', () => undefined).destroy();
}
