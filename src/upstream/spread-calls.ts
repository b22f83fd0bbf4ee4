import type { ErrorName } from '../../generated/errors.ts';
import { ServiceError, serviceError } from '../service-error.ts';
import type { Upstream } from './upstream.ts';

/** By these a node says that it did not take a call: another may. */
export const PASSED_OVER: ReadonlySet<ErrorName> = new Set(['upstreamUnavailable', 'upstreamBusy']);

/**
 * Several nodes as one: calls go to them in turn, and one that cannot be reached or limits the rate is passed over. Only a
 * call that has not run goes on to the next node. Throws what the last node said if none takes it.
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
          if (!(error instanceof ServiceError) || !PASSED_OVER.has(error.code)) throw error;
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
