import { METHODS } from '../../../generated/ledger/methods.ts';
import { startDeadline } from '../../core/deadline.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { CallSignal } from '../../core/rpc/call-signal.ts';
import { checkedReply, takesBatches } from './batch-probe.ts';
import { createHttpUpstream, type HttpUpstreamOptions } from './http/http-upstream.ts';
import {
  BATCH,
  type Upstream,
  type UpstreamRequest,
  type BatchSupport,
  BrokenConnection,
} from './upstream.ts';
import { type BatchUpstream, withBatches } from './with-batches.ts';

/** The connection options of every node, without its address. */
export type NodeOptions = Omit<HttpUpstreamOptions, 'url'>;

export type WrapOptions = {
  /** Most milliseconds until a reply is complete or begins to stream, retries included. */
  readonly responseTimeoutMs: number;
  readonly onRetry: () => void;
};

/** Connects to a node, without the wrappers of `wrapUpstream`. */
export function connectNode(url: string, options: NodeOptions): Upstream {
  return withBatchSupport(createHttpUpstream({ ...options, url }));
}

/** Wraps the nodes of a network, which check replies themselves, in the layers that every call gets, outermost first. */
export function wrapPool(nodes: Upstream, { responseTimeoutMs, onRetry }: WrapOptions): BatchUpstream {
  return withBatches(withTimeout(withRetry(nodes, onRetry), responseTimeoutMs));
}

/** The same for one node. */
export function wrapUpstream(node: Upstream, options: WrapOptions): BatchUpstream {
  return wrapPool(withReplyCheck(node), options);
}

function withReplyCheck(upstream: Upstream): Upstream {
  return {
    ...upstream,
    send: async (request) => checkedReply(await upstream.send(request), request.id),
  };
}

/**
 * Sends a read once more if its connection broke, which a kept-alive connection may do at any time. A method that the spec
 * marks `x-retry: never` is sent once: the node may have acted on it.
 */
function withRetry(upstream: Upstream, onRetry: () => void): Upstream {
  return {
    ...upstream,
    send: async (request) => {
      try {
        return await upstream.send(request);
      } catch (error) {
        if (!isRetryable(request, error)) throw error;
        onRetry();
        return await upstream.send(request);
      }
    },
  };
}

function isRetryable({ method, signal }: UpstreamRequest, error: unknown): boolean {
  if (signal.aborted || (method !== BATCH && METHODS[method].retry !== 'safe')) return false;
  return error instanceof ServiceError && error.cause instanceof BrokenConnection;
}

/** Gives a call `limitMs` until its reply is complete (or has begun to stream), retries included; then `upstreamTimeout`. */
function withTimeout(upstream: Upstream, limitMs: number): Upstream {
  return {
    ...upstream,
    send: async (request) => {
      request.signal.throwIfAborted();
      const deadline = new CallSignal();
      const late = (): void => deadline.abort(serviceError('upstreamTimeout', { limitMs }));
      const endWait = startDeadline(limitMs, late);
      const forget = request.signal.onAbort((reason) => deadline.abort(reason));
      try {
        const reply = await upstream.send({ ...request, signal: deadline });
        if (reply.kind === 'stream') reply.body.once('close', forget);
        else forget();
        return reply;
      } catch (error) {
        forget();
        throw error;
      } finally {
        endWait();
      }
    },
  };
}

/** For this long, no batch is sent to a node that refuses batches. */
const REFUSED_MS = 60_000;

/** Least time between two checks of whether a node takes batches, whatever the outcome of clients' batches. */
const ASKED_MS = 1_000;

/** Sends no batches to a node for a minute after it refused one: meanwhile batches fail as if the node were unreachable. */
export function withBatchSupport(node: Upstream): Upstream {
  const trust = createTrust(node);
  return {
    ...node,
    send: (request) => {
      const { route } = request;
      if (route === undefined) return node.send(request);
      if (!trust.mayTake()) {
        route.isTurnedAway = true;
        return Promise.reject(serviceError('upstreamUnavailable'));
      }
      route.taker = trust;
      return node.send(request);
    },
  };
}

function createTrust(node: Upstream): BatchSupport {
  let refusedUntilMs = Number.NEGATIVE_INFINITY;
  let notAskedUntilMs = Number.NEGATIVE_INFINITY;
  const ask = async (size: number): Promise<void> => {
    notAskedUntilMs = Number.POSITIVE_INFINITY;
    const takes = await takesBatches(node, size);
    const nowMs = performance.now();
    notAskedUntilMs = nowMs + ASKED_MS;
    if (takes === false) refusedUntilMs = nowMs + REFUSED_MS;
  };
  return {
    mayTake: () => performance.now() >= refusedUntilMs,
    reprobe: (size) => {
      if (performance.now() >= notAskedUntilMs) void ask(size);
    },
  };
}
