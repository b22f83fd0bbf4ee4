import type { Call } from '../../core/rpc/call.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Upstream } from '../nodes/upstream.ts';
import { forward, type Ledger, serveWithout } from './ledger.ts';

/** The cheat code that reads alone, and may be served through the gateway. */
export const TRACE = 'localnet_trace';

/**
 * Passes localnet_trace on to an embedded ledger that serves it. Without one it is refused with traceNotServed, which says what to set. On its
 * way it is treated as simulateTransaction: it changes nothing, and may be sent again.
 */
export function withTrace(ledger: Ledger, embedded: Upstream | undefined): Ledger {
  return {
    serve: (call, context) => {
      if (call.method !== TRACE) return ledger.serve(call, context);
      if (embedded === undefined) throw serviceError('traceNotServed');
      return forward(embedded, {
        method: 'simulateTransaction',
        call,
        context,
        needs: undefined,
        read: undefined,
      });
    },
    serveBatch: (calls, context) => serveWithout(isTrace, calls, (rest) => ledger.serveBatch(rest, context)),
  };
}

function isTrace({ method }: Call): boolean {
  return method === TRACE;
}
