import { ServiceError, serviceError } from '../service-error.ts';
import type { Upstream } from './upstream.ts';

/**
 * Several nodes as one: calls go to them in turn, and one that cannot be reached is passed over. Only a call of which
 * nothing was sent goes on to the next node. Throws `upstreamUnavailable` if none can be reached.
 */
export function spreadCalls(upstreams: readonly Upstream[]): Upstream {
  const [only] = upstreams;
  if (only !== undefined && upstreams.length === 1) return only;
  let turn = 0;
  return {
    send: async (request) => {
      const first = turn++;
      let failure = serviceError('upstreamUnavailable');
      for (let offset = 0; offset < upstreams.length; offset++) {
        const upstream = upstreams[(first + offset) % upstreams.length];
        try {
          if (upstream !== undefined) return await upstream.send(request);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'upstreamUnavailable') throw error;
          failure = error;
        }
      }
      throw failure;
    },
    close: async () => {
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}
