import type { ErrorName } from '../../generated/errors.ts';
import { ServiceError, serviceError } from '../base/service-error.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';
import type { Upstream, UpstreamRequest } from './upstream.ts';

/** A node, and whether it supports the features of a version; undefined: unknown. */
export type SpreadNode = {
  readonly upstream: Upstream;
  readonly has: (since: string) => boolean | undefined;
};

const PASSED_OVER: ReadonlySet<ErrorName> = new Set(['upstreamUnavailable', 'upstreamBusy']);

/**
 * Combines several nodes: calls rotate among them, and a node that cannot be reached or limits the rate is skipped. Only a call
 * that has not run moves on to the next node. Throws the last node's error if none takes it. A call that needs a version goes
 * to nodes that have it first, then to nodes of unknown version, and to no other.
 */
export function spreadCalls(nodes: readonly SpreadNode[]): Upstream {
  let turn = 0;
  const inRotation = (): readonly SpreadNode[] => {
    const first = turn++ % nodes.length;
    return [...nodes.slice(first), ...nodes.slice(0, first)];
  };
  const [only] = nodes;
  return {
    send: (request) => {
      const { needs } = request;
      if (needs !== undefined) return trySend(capableNodes(inRotation(), needs.since), request);
      return only !== undefined && nodes.length === 1
        ? only.upstream.send(request)
        : trySend(inRotation(), request);
    },
    close: async () => {
      await Promise.all(nodes.map(({ upstream }) => upstream.close()));
    },
  };
}

function capableNodes(nodes: readonly SpreadNode[], since: string): readonly SpreadNode[] {
  const by = Map.groupBy(nodes, (node) => node.has(since));
  return [...(by.get(true) ?? []), ...(by.get(undefined) ?? [])];
}

async function trySend(nodes: readonly SpreadNode[], request: UpstreamRequest): Promise<UpstreamReply> {
  let failure = serviceError('upstreamUnavailable');
  for (const node of nodes) {
    try {
      return await handOver(node, request);
    } catch (error) {
      if (!isPassedOver(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Reports a node that may lack what the call needs, unless the node did not take the call. */
async function handOver(node: SpreadNode, request: UpstreamRequest): Promise<UpstreamReply> {
  const { needs } = request;
  if (needs === undefined || node.has(needs.since) !== undefined) return node.upstream.send(request);
  try {
    const reply = await node.upstream.send(request);
    needs.onUnknown();
    return reply;
  } catch (error) {
    if (!isPassedOver(error)) needs.onUnknown();
    throw error;
  }
}

/** True if another node may take a call that failed with this error. */
export function isPassedOver(error: unknown): error is ServiceError {
  return error instanceof ServiceError && PASSED_OVER.has(error.code);
}
