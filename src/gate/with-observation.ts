import { ERRORS } from '../../generated/errors.ts';
import type { Ledger, LedgerReply } from '../ledger/ledger.ts';
import { type ServiceError, toServiceError } from '../service-error.ts';
import type { Metrics, Outcome } from './metrics.ts';

/** Counts and times every call of one network. */
export function withObservation(ledger: Ledger, metrics: Metrics, network: string): Ledger {
  return {
    serve: async (call, context) => {
      const startMs = performance.now();
      const end = (outcome: Outcome): void =>
        metrics.endCall({ network, method: call.method, outcome, durationMs: performance.now() - startMs });
      metrics.startCall(network);
      try {
        const reply = await ledger.serve(call, context);
        end(outcomeOf(reply));
        if (reply.kind === 'stream') {
          reply.body.once('error', (error) => {
            if (!context.signal.aborted) metrics.countUpstreamError(network, toServiceError(error).code);
          });
        }
        return reply;
      } catch (thrown) {
        if (context.signal.aborted) {
          end('cancelled');
          throw thrown;
        }
        const error = toServiceError(thrown);
        end(error.code);
        if (isUpstreamError(error)) metrics.countUpstreamError(network, error.code);
        throw error;
      }
    },
  };
}

function outcomeOf(reply: LedgerReply): Outcome {
  return reply.kind === 'whole' && reply.isError ? 'nodeError' : 'ok';
}

function isUpstreamError(error: ServiceError): boolean {
  return ERRORS[error.code].area === 'upstream';
}
