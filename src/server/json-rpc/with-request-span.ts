import { ERRORS } from '../../../generated/errors.ts';
import { toServiceError } from '../../core/service-error.ts';
import type { Tracing } from '../../core/tracing.ts';
import type { RpcHandler } from '../http/router.ts';

/** Puts each request of a network in a span, with the status that it is answered with. */
export function withRequestSpan(
  handle: RpcHandler,
  network: string,
  tracing: Tracing | undefined,
): RpcHandler {
  if (tracing === undefined) return handle;
  const start = { name: 'json-rpc request', attributes: { 'keyslot.network': network } } as const;
  return (request, response) => {
    const { traceparent } = request.headers;
    return tracing.request({ ...start, traceparent }, async (span) => {
      try {
        await handle(request, response);
        span.set({ 'http.response.status_code': response.statusCode });
      } catch (thrown) {
        // The router answers the error.
        span.set({ 'http.response.status_code': ERRORS[toServiceError(thrown).code].http });
        throw thrown;
      }
    });
  };
}
