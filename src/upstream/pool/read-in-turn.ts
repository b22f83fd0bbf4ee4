import { ServiceError, serviceError } from '../../base/service-error.ts';
import { CallSignal } from '../../rpc/call-signal.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { Judgement, UpstreamRequest } from '../upstream.ts';
import { attempt, isLight, mayMoveOn, noteSlot } from './attempt.ts';
import { judgeReply } from './judge-reply.ts';
import type { PoolNode } from './pool-node.ts';

/** Why a read was sent to another node too. */
export type FailoverReason = 'failed' | 'behind' | 'absent' | 'slow' | 'hedged';

export type Turns = {
  /** Returns the next node to ask, where `lacking` have said that they do not have what is asked; undefined: there is none. */
  readonly pick: (
    request: UpstreamRequest,
    tried: readonly PoolNode[],
    lacking: readonly PoolNode[],
  ) => PoolNode | undefined;
  /** Returns after how many milliseconds another node is asked too, if the budget of hedges allows; undefined: it is not hedged. */
  readonly hedgeAfterMs: (node: PoolNode, request: UpstreamRequest) => number | undefined;
  /** Called before a hedge. @returns false if it must not be sent. */
  readonly mayHedge: () => boolean;
  /** Milliseconds after which another node is asked too in any case. */
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

/** A read that every node failed which could be asked. */
export type Failure = { readonly kind: 'failure'; readonly error: FailedReply | ServiceError };

/** The reply of a node that failed, if one has replied. @throws ServiceError of the last one, if none has. */
export function failedReply({ error }: Failure): UpstreamReply {
  if (error instanceof FailedReply) return error.reply;
  throw error;
}

/** After so long it is looked again whether another node can be asked, where none could be when the one asked took too long. */
const LOOK_AGAIN_MS = 200;
/** A node that failed a read may have recovered after so long: it is asked again, where all others take too long. */
const ASK_AGAIN_MS = 1_000;
/** A light read that a node has taken too long for has so much less patience with the next ones. */
const HURRY = 5;
/** One that was behind may have caught up after so long. */
const CATCH_UP_MS = 200;
/** A light read that another node has answered has so long to end by itself: to cancel it would cost its connection. */
const FINISH_MS = 1_000;
/** The read was answered by another node. */
const BEATEN = new Error('another node has answered');

/**
 * Sends a read to one node after the other until one has a good reply: the next is asked when one fails, or takes too long; the
 * first good reply wins. While the last ones take too long, those that failed are asked again, at most once a second each, and those
 * that were behind, five times. A light read is sent to a node that took too long once more: it may have lost the first.
 *
 * @returns the reply; `behind`: all that could be asked were behind.
 * @throws FailedReply; ServiceError of the last node; `upstreamUnavailable` if there was none.
 */
export function readInTurn(request: UpstreamRequest, turns: Turns): Promise<UpstreamReply | 'behind'> {
  return new Promise((resolve, reject) => new Reading(request, turns, resolve, reject).next());
}

class Reading {
  readonly #request: UpstreamRequest;
  readonly #turns: Turns;
  readonly #resolve: (reply: UpstreamReply | 'behind') => void;
  readonly #reject: (error: unknown) => void;
  readonly #tried: PoolNode[] = [];
  readonly #lacking: PoolNode[] = [];
  /** When each node that has failed, or was behind, may be asked again. */
  readonly #againAtMs = new Map<PoolNode, number>();
  /** The nodes that took too long. */
  readonly #slow = new Set<PoolNode>();
  /** How often a node was asked. */
  #asked = 0;
  readonly #running = new Set<CallSignal>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Replies that another node may have a better one than; each is the answer if no other has. */
  readonly #spare: { behind?: UpstreamReply; absent?: UpstreamReply; failed?: UpstreamReply } = {};
  #failure: ServiceError | undefined;

  constructor(
    request: UpstreamRequest,
    turns: Turns,
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

  /** Asks another node too when this one takes too long. Only the first one asked is hedged. */
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
    // Those that are asked later have less patience: that they are slow by it says nothing of them.
    if (isLost && this.#slow.size === 0) node.health.noteSlow(performance.now());
    this.#slow.add(node);
    this.#lookAgain(node);
  }

  /** Asks a node that can be asked by now, while those that were asked take too long. */
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

  /** Keeps the first reply of a kind; of those that lack something, the one that lacks least. */
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

  /** Nodes whose failure is long enough ago, or that may have caught up, can be asked again. */
  #allowAgain(): void {
    const nowMs = performance.now();
    for (const [node, atMs] of this.#againAtMs) {
      if (atMs > nowMs) continue;
      this.#againAtMs.delete(node);
      const place = this.#tried.indexOf(node);
      if (place >= 0) this.#tried.splice(place, 1);
    }
  }

  /** Asks another node, if there is one; if not, and a node takes too long, it is looked again. */
  #moveOn(node: PoolNode, reason: FailoverReason): void {
    const asked = this.#asked;
    this.next();
    if (this.#asked > asked) this.#turns.onFailover(node, reason);
    else if (this.#slow.size > 0 && !this.#isOver) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#lookAgain(node), LOOK_AGAIN_MS);
    }
  }

  /** Ends with the best that came: no node is left to ask, or no time. */
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

  /** The last of the reads that were left has ended. */
  #stopWaiting(): void {
    if (this.#running.size === 0) clearTimeout(this.#timer);
  }
}

/** True if the time for the answer is over, rather than that its client has left. */
function isOutOfTime({ signal: { reason } }: UpstreamRequest): boolean {
  return reason instanceof ServiceError && reason.code === 'upstreamTimeout';
}

function drop(reply: UpstreamReply): void {
  if (reply.kind === 'stream') reply.body.on('error', () => undefined).destroy();
}
