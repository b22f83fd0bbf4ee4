import type { Ledger } from '../ledger/ledger.ts';
import type { CountCall } from './usage-book.ts';
import { weighMethod } from './weigh.ts';

export type MeteringOptions = { readonly network: string; readonly count: CountCall };

/** Counts every call of one network for the key that made it, in the minute in which its answer begins. */
export function withMetering(ledger: Ledger, { network, count }: MeteringOptions): Ledger {
  return {
    serve: async (call, context) => {
      const { method, weight } = weighMethod(call.method);
      try {
        const reply = await ledger.serve(call, context);
        const isError = reply.kind === 'whole' && reply.isError;
        count({ keyId: context.keyId, network, method, outcome: isError ? 'error' : 'ok', weight });
        return reply;
      } catch (thrown) {
        const outcome = context.signal.aborted ? 'ok' : 'error';
        count({ keyId: context.keyId, network, method, outcome, weight });
        throw thrown;
      }
    },
  };
}
