import { METHODS } from '../../generated/ledger/methods.ts';
import { ServiceError } from '../base/service-error.ts';
import { BrokenConnection } from './broken-connection.ts';
import { BATCH, type Upstream, type UpstreamRequest } from './upstream.ts';

/**
 * Sends a read once more if its connection broke, which a kept-alive connection may do at any time. A method that the spec
 * marks `x-retry: never` is sent once: the node may have acted on it.
 */
export function withRetry(upstream: Upstream, onRetry: () => void): Upstream {
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
