import { ERRORS } from '../../generated/errors.ts';
import type { Ledger, LedgerReply } from '../ledger/ledger.ts';
import { type ServiceError, toServiceError } from '../service-error.ts';
import type { LogFailure } from './failure-log.ts';
import type { Metrics, Outcome } from './metrics.ts';

export type ObservationOptions = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly network: string;
};

/** Counts and times every call of one network, and tells of those that a node failed to answer. */
export function withObservation(
  ledger: Ledger,
  { metrics, logFailure, network }: ObservationOptions,
): Ledger {
  const noteFailure = (error: ServiceError): void => {
    if (ERRORS[error.code].area !== 'upstream') return;
    metrics.countUpstreamError(network, error.code);
    logFailure(network, error);
  };
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
            if (!context.signal.aborted) noteFailure(toServiceError(error));
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
        noteFailure(error);
        throw error;
      }
    },
  };
}

function outcomeOf(reply: LedgerReply): Outcome {
  return reply.kind === 'whole' && reply.isError ? 'nodeError' : 'ok';
}
