import type { Upstream } from './upstream.ts';

/** How long a node that did not answer a batch is sent single calls only. */
const REFUSED_MS = 60_000;

/** Lets the calls of a client's batch travel together (see `CallGroup`), unless a node has just shown that it takes no batches. */
export function withGroups(upstream: Upstream): Upstream {
  let refusedUntilMs = Number.NEGATIVE_INFINITY;
  const onRefused = (): void => {
    refusedUntilMs = performance.now() + REFUSED_MS;
  };
  return {
    ...upstream,
    send: (request) => {
      const { group } = request;
      if (group === undefined) return upstream.send(request);
      return performance.now() < refusedUntilMs
        ? group.sendAlone(request, upstream)
        : group.send(request, upstream, onRefused);
    },
  };
}
