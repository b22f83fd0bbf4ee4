import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import type { SubscriptionNotifications, SubscriptionParams } from '../../../generated/ledger/types.ts';
import type { Ledger } from '../ledger.ts';
import type { Watch } from './watch.ts';

/** The result of a subscribe call. Calls with the same `key` share one subscription. */
export type Subscribed<R = unknown> = {
  /** The meaning of the params, defaults filled in; has a JSON form. */
  readonly key: readonly unknown[];
  readonly watch: Watch<R>;
};

/** Reads the params of one kind of subscription, which have passed checkParams. Throws a ServiceError for errors that it cannot detect. */
export type LocalnetSubscription<N extends SubscriptionName> = (
  ledger: Ledger,
  ...params: SubscriptionParams[N]
) => Subscribed<SubscriptionNotifications[N]>;
