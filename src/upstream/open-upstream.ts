import { withBatchSupport } from './batch-support.ts';
import { createHttpUpstream, type HttpUpstreamOptions } from './http/http-upstream.ts';
import type { Upstream } from './upstream.ts';
import { type BatchUpstream, withBatches } from './with-batches.ts';
import { withReplyCheck } from './with-reply-check.ts';
import { withRetry } from './with-retry.ts';
import { withTimeout } from './with-timeout.ts';

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

/** Wraps the nodes of a network in the layers that every call gets, outermost first. */
export function wrapUpstream(nodes: Upstream, { responseTimeoutMs, onRetry }: WrapOptions): BatchUpstream {
  return withBatches(withReplyCheck(withTimeout(withRetry(nodes, onRetry), responseTimeoutMs)));
}
