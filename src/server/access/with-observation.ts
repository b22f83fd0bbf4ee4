import { ERRORS } from '../../../generated/errors.ts';
import type { Call } from '../../core/rpc/call.ts';
import type { Context } from '../../core/rpc/context.ts';
import { resultReply } from '../../core/rpc/replies.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import { codeOf } from '../../gateway/nodes/pool/judge-reply.ts';
import { type ServiceError, toServiceError } from '../../core/service-error.ts';
import { countRuns, type Ended, isGivenUp } from './count-runs.ts';
import type { LogFailure } from './failure-log.ts';
import type { Outcome } from './call-counts.ts';
import type { Metrics } from './metrics.ts';
import { loggedError, loggedParams, type NotedRequest, type RequestLog } from './request-log.ts';
import { weighMethod } from './weigh.ts';

export type ObservationOptions = {
  readonly metrics: Metrics;
  readonly logFailure: LogFailure;
  readonly network: string;
  /** Absent: calls are not logged. */
  readonly requests?: RequestLog | undefined;
};

/**
 * Counts and times every call of one network, notes it in the log of requests, and logs those that a node failed to answer. Calls that are
 * served together get the same time.
 */
export function withObservation(
  ledger: Ledger,
  { metrics, logFailure, network, requests }: ObservationOptions,
): Ledger {
  const noteFailure = (error: ServiceError): void => {
    if (ERRORS[error.code].area !== 'upstream') return;
    metrics.countUpstreamError(network, error.code);
    logFailure(network, error);
  };
  return {
    serve: async (call, context) => {
      const startMs = performance.now();
      const end = (outcome: Outcome, ended?: Ended): void => {
        const durationMs = performance.now() - startMs;
        metrics.calls.end({ network, method: call.method, outcome, calls: 1, durationMs });
        noteCall(requests, call, context, { outcome, durationMs, ended });
      };
      metrics.calls.start(network, 1);
      try {
        const reply = await ledger.serve(call, context);
        end(outcomeOf(reply), reply);
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
      const read = (ended: Ended): Outcome => (isGivenUp(ended, reason) ? 'cancelled' : outcomeOf(ended));
      const runs = countRuns(calls, outcomes, read);
      let withdrawn = calls.length;
      for (const run of runs) {
        metrics.calls.end({ network, ...run, durationMs });
        withdrawn -= run.calls;
      }
      metrics.calls.withdraw(network, withdrawn);
      calls.forEach((call, place) => {
        const ended = outcomes[place];
        if (ended !== undefined && ended.kind !== 'not-batched')
          noteCall(requests, call, context, { outcome: read(ended), durationMs, ended });
      });
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

/** An ended call; `ended` is undefined if it failed. */
type EndedCall = {
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly ended: Ended | undefined;
};

/** Notes a call in the log of requests. */
function noteCall(
  requests: RequestLog | undefined,
  call: Call,
  context: Context,
  { outcome, durationMs, ended }: EndedCall,
): void {
  const { accountId, keyId, mark } = context;
  if (requests === undefined || mark === undefined || !requests.wants(accountId, outcome !== 'ok')) return;
  requests.note(accountId, mark, {
    method: weighMethod(call.method).method,
    callerKind: 'key',
    callerId: keyId,
    durationUs: Math.round(durationMs * 1_000),
    bytesIn: call.raw.length,
    bytesOut: ended && sizeOf(ended, call),
    node: ended !== undefined && 'node' in ended ? ended.node : undefined,
    params: requests.keepsParams(accountId) ? loggedParams(call) : undefined,
    ...describeOutcome(outcome, ended, context),
  });
}

function describeOutcome(
  outcome: Outcome,
  ended: Ended | undefined,
  { mark, semaphore }: Context,
): Pick<NotedRequest, 'status' | 'error' | 'rpcCode'> {
  const ok = { status: mark?.protocol === 'json_rpc' ? 200 : undefined };
  switch (outcome) {
    case 'ok':
      return ok;
    case 'cancelled':
      return { error: 'client_left' };
    case 'nodeError':
      return {
        ...ok,
        error: 'node_error',
        rpcCode: ended?.kind === 'whole' ? codeOf(ended.body) : undefined,
      };
    default:
      // Only the calls of a batch take turns.
      return mark === undefined ? {} : loggedError(outcome, mark, semaphore !== undefined);
  }
}

/** Returns the bytes of an answer; undefined where they are not known yet. */
function sizeOf(ended: Ended, call: Call): number | undefined {
  switch (ended.kind) {
    case 'whole':
      return ended.body.length;
    case 'stream':
      return ended.sizeBytes;
    case 'result':
      return resultReply(call.id, ended.json).length;
    case 'failure':
      return undefined;
  }
}
