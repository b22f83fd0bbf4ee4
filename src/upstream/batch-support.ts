import { serviceError } from '../base/service-error.ts';
import { takesBatches } from './batch-probe.ts';
import type { BatchSupport, Upstream } from './upstream.ts';

/** A node that takes no batches is sent none for this long. */
const REFUSED_MS = 60_000;

/** Least time between two checks of whether a node takes batches, whatever the outcome of clients' batches. */
const ASKED_MS = 1_000;

/** Sends a node no batches for a minute after it was found to take none: meanwhile batches fail as if it could not be reached. */
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
