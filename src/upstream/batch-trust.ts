import { serviceError } from '../base/service-error.ts';
import { takesBatches } from './batch-probe.ts';
import type { BatchTrust, Upstream } from './upstream.ts';

/** How long a node gets no batch that was found to take none. */
const REFUSED_MS = 60_000;

/** How long a node is not asked again whether it takes batches, whatever becomes of those of clients. */
const ASKED_MS = 1_000;

/** A node that is sent no batch for a minute after it was found to take none: it is as if it could not be reached. */
export function withBatchTrust(node: Upstream): Upstream {
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

function createTrust(node: Upstream): BatchTrust {
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
    doubt: (size) => {
      if (performance.now() >= notAskedUntilMs) void ask(size);
    },
  };
}
