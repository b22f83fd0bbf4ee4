import type { Ledger } from '../ledger/ledger.ts';
import { countRuns, isGivenUp } from './count-runs.ts';
import type { CountCall } from './usage-book.ts';
import { outcomeOfError, servedOutcomeOf } from './usage-outcome.ts';
import { weighMethod } from './weigh.ts';

export type MeteringOptions = { readonly network: string; readonly count: CountCall };

/** Counts every call of one network for the key that made it, in the minute in which its answer begins. */
export function withMetering(ledger: Ledger, { network, count }: MeteringOptions): Ledger {
  return {
    serve: async (call, context) => {
      const { method, weight } = weighMethod(call.method);
      try {
        const reply = await ledger.serve(call, context);
        count({ keyId: context.keyId, network, method, outcome: servedOutcomeOf(reply), weight });
        return reply;
      } catch (thrown) {
        const outcome = context.signal.aborted ? 'ok' : outcomeOfError(thrown);
        count({ keyId: context.keyId, network, method, outcome, weight });
        throw thrown;
      }
    },
    serveTogether: async (calls, context) => {
      const outcomes = await ledger.serveTogether(calls, context);
      const { reason } = context.signal;
      const runs = countRuns(calls, outcomes, (ended) =>
        isGivenUp(ended, reason) ? 'ok' : servedOutcomeOf(ended),
      );
      for (const run of runs) {
        const { method, weight } = weighMethod(run.method);
        const counted = { calls: run.calls, outcome: run.outcome, weight: run.calls * weight };
        count({ keyId: context.keyId, network, method, ...counted });
      }
      return outcomes;
    },
  };
}
