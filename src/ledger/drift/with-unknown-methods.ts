import { isMethodName } from '../../../generated/ledger/methods.ts';
import { isSubscriptionName, isUnsubscribeName } from '../../../generated/ledger/subscriptions.ts';
import type { Ledger } from '../ledger.ts';

/** Tells of each call of a method that the specification does not know. What is served together with others is known. */
export function withUnknownMethods(ledger: Ledger, note: (method: string) => void): Ledger {
  return {
    ...ledger,
    serve: (call, context) => {
      const { method, isNotification } = call;
      if (!isMethodName(method) && !isNotification && !isSubscription(method)) note(method);
      return ledger.serve(call, context);
    },
  };
}

/** Over HTTP these are no methods, but they are known. */
function isSubscription(method: string): boolean {
  return isSubscriptionName(method) || isUnsubscribeName(method);
}
