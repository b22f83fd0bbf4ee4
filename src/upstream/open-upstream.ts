import { withBatchTrust } from './batch-trust.ts';
import { createHttpUpstream, type HttpUpstreamOptions } from './http/http-upstream.ts';
import type { Upstream } from './upstream.ts';
import { type BatchUpstream, withBatches } from './with-batches.ts';
import { withReplyCheck } from './with-reply-check.ts';
import { withRetry } from './with-retry.ts';
import { withTimeout } from './with-timeout.ts';

/** How every node is reached, apart from its address. */
export type NodeOptions = Omit<HttpUpstreamOptions, 'url'>;

export type WrapOptions = {
  /** Until a reply is there or begins to stream, retries included. */
  readonly responseTimeoutMs: number;
  readonly onRetry: () => void;
};

/** A node without what `wrapUpstream` adds. */
export function connectNode(url: string, options: NodeOptions): Upstream {
  return withBatchTrust(createHttpUpstream({ ...options, url }));
}

/** The nodes of a network with all that a call is entitled to, outermost first. */
export function wrapUpstream(nodes: Upstream, { responseTimeoutMs, onRetry }: WrapOptions): BatchUpstream {
  return withBatches(withReplyCheck(withTimeout(withRetry(nodes, onRetry), responseTimeoutMs)));
}
