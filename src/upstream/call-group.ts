import { METHODS } from '../../generated/ledger/methods.ts';
import type { ReplyHold } from '../ledger/reply-memory.ts';
import { ServiceError } from '../service-error.ts';
import { sendTogether } from './send-together.ts';
import { BrokenConnection } from './broken-connection.ts';
import type { Upstream, UpstreamReply, UpstreamRequest } from './upstream.ts';

/** A call that waits for the others that will travel with it. */
type Waiting = PromiseWithResolvers<UpstreamReply> & { readonly request: UpstreamRequest };

/** Nodes take a body of 50 KiB unless told otherwise (agave MAX_REQUEST_BODY_SIZE). */
const MAX_BODY_BYTES = 48 * 1024;
const MAX_CALLS = 100;
/** A call that weighs more may be slow or have a large answer: the others do not wait for it. */
const MAX_COST = 3;

/** What a node may have answered because of the others: each call of the group is then sent alone. */
const RETRIED_ALONE: ReadonlySet<string> = new Set([
  'upstreamBroken',
  'callTooLarge',
  'replyTooLarge',
  'replyMemoryFull',
]);

/**
 * The calls of one client's batch on their way to the nodes. Light reads that are asked for at the same time travel in one batch,
 * as the bytes that came; all others, and those that share an id with one that waits, alone, `concurrency` at a time.
 */
export class CallGroup {
  readonly #hold: ReplyHold;
  readonly #concurrency: number;
  #waiting = new Map<string, Waiting>();
  #waitingBytes = 0;
  #underWay = 0;
  readonly #queue: (() => void)[] = [];

  constructor(hold: ReplyHold, concurrency: number) {
    this.#hold = hold;
    this.#concurrency = concurrency;
  }

  /** Sends a call like `upstream.send`; `onRefused`: the node does not answer batches. */
  send(request: UpstreamRequest, upstream: Upstream, onRefused: () => void): Promise<UpstreamReply> {
    const { id } = request;
    if (id === undefined || !isLight(request) || this.#waiting.has(id))
      return this.sendAlone(request, upstream);
    const isFull =
      this.#waiting.size === MAX_CALLS || this.#waitingBytes + request.body.length + 1 > MAX_BODY_BYTES;
    if (isFull) this.#flush(upstream, onRefused);
    if (this.#waiting.size === 0) setImmediate(() => this.#flush(upstream, onRefused));
    const waiting = { ...Promise.withResolvers<UpstreamReply>(), request };
    this.#waiting.set(id, waiting);
    this.#waitingBytes += request.body.length + 1;
    return waiting.promise;
  }

  /** Sends a call by itself when its turn has come. */
  async sendAlone(request: UpstreamRequest, upstream: Upstream): Promise<UpstreamReply> {
    if (this.#underWay === this.#concurrency) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#underWay++;
    try {
      return await upstream.send(request);
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }

  #flush(upstream: Upstream, onRefused: () => void): void {
    const group = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    void this.#serve(group, upstream, onRefused);
  }

  async #serve(group: readonly Waiting[], upstream: Upstream, onRefused: () => void): Promise<void> {
    const [first, ...others] = group;
    if (first === undefined) return;
    if (others.length === 0) return first.resolve(this.sendAlone(first.request, upstream));
    try {
      const replies = await sendTogether(
        group.map(({ request }) => request),
        upstream,
        this.#hold,
      );
      if (replies === undefined) onRefused();
      for (const { request, resolve } of group) {
        resolve(replies?.get(request) ?? this.sendAlone(request, upstream));
      }
    } catch (error) {
      if (isRefusal(error)) onRefused();
      const isAlone = error instanceof ServiceError && RETRIED_ALONE.has(error.code);
      for (const { request, resolve, reject } of group) {
        if (isAlone) resolve(this.sendAlone(request, upstream));
        else reject(error);
      }
    }
  }
}

/** The node answered, and not as a node that takes batches does. */
function isRefusal(error: unknown): boolean {
  const isBroken = error instanceof ServiceError && error.code === 'upstreamBroken';
  return isBroken && !(error.cause instanceof BrokenConnection);
}

function isLight({ method }: UpstreamRequest): boolean {
  const { cost, retry } = METHODS[method];
  return cost <= MAX_COST && retry === 'safe';
}
