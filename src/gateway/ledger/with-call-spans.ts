import { isMethodName } from '../../../generated/ledger/methods.ts';
import { isSubscriptionName, isUnsubscribeName } from '../../../generated/ledger/subscriptions.ts';
import { OTHER_METHOD, type Tracing } from '../../core/tracing.ts';
import type { Ledger } from './ledger.ts';

/** Puts each call, and calls that are served together, in a span. */
export function withCallSpans(ledger: Ledger, tracing: Tracing | undefined): Ledger {
  if (tracing === undefined) return ledger;
  return {
    serve: (call, context) => {
      const attributes = { 'rpc.method': methodOf(call.method) };
      return tracing.part({ name: 'json-rpc call', attributes }, async (span) => {
        const reply = await ledger.serve(call, context);
        if (reply.kind === 'whole' && reply.isError) span.set({ 'keyslot.node_error': true });
        return reply;
      });
    },
    serveBatch: (calls, context) => {
      const attributes = { 'keyslot.calls': calls.length };
      return tracing.part({ name: 'json-rpc calls', attributes }, () => ledger.serveBatch(calls, context));
    },
  };
}

/** A client may name anything. */
function methodOf(method: string): string {
  return isMethodName(method) || isSubscriptionName(method) || isUnsubscribeName(method)
    ? method
    : OTHER_METHOD;
}
