import { ERRORS } from '../../../generated/errors.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import { type ServiceError, toServiceError } from '../../core/service-error.ts';
import { countRuns, type Ended, isGivenUp } from './count-runs.ts';
import type { LogFailure } from './failure-log.ts';
import type { Outcome } from './call-counts.ts';
import type { Metrics } from './metrics.ts';

export type ObservationOptions = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly network: string;
};

/**
 * Counts and times every call of one network, and logs those that a node failed to answer. Calls that are served together get
 * the same time.
 */
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
      const end = (outcome: Outcome): void => {
        const durationMs = performance.now() - startMs;
        metrics.calls.end({ network, method: call.method, outcome, calls: 1, durationMs });
      };
      metrics.calls.start(network, 1);
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
    serveBatch: async (calls, context) => {
      const startMs = performance.now();
      metrics.calls.start(network, calls.length);
      const outcomes = await ledger.serveBatch(calls, context);
      const durationMs = performance.now() - startMs;
      const { aborted, reason } = context.signal;
      const runs = countRuns(calls, outcomes, (ended) =>
        isGivenUp(ended, reason) ? 'cancelled' : outcomeOf(ended),
      );
      let withdrawn = calls.length;
      for (const run of runs) {
        metrics.calls.end({ network, ...run, durationMs });
        withdrawn -= run.calls;
      }
      metrics.calls.withdraw(network, withdrawn);
      if (aborted) return outcomes;
      for (const outcome of outcomes)
        if (outcome.kind === 'failure') noteFailure(toServiceError(outcome.error));
      return outcomes;
    },
  };
}

function outcomeOf(ended: Ended): Outcome {
  if (ended.kind === 'failure') return toServiceError(ended.error).code;
  return ended.kind === 'whole' && ended.isError ? 'nodeError' : 'ok';
}
