import { isMethodName } from '../../../generated/ledger/methods.ts';
import { isSubscriptionName, isUnsubscribeName } from '../../../generated/ledger/subscriptions.ts';
import type { Ledger } from '../ledger.ts';

/** Reports each call of a method that is not in the specification. Calls that are served together are always known. */
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

/** Over HTTP these methods do not exist, but the specification has them. */
function isSubscription(method: string): boolean {
  return isSubscriptionName(method) || isUnsubscribeName(method);
}
