import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import type { SubscriptionNotifications, SubscriptionParams } from '../../../generated/ledger/types.ts';
import type { Ledger } from '../ledger.ts';
import type { Watch } from './watch.ts';

/** What a subscribe call comes to. Calls that come to the same `key` share one subscription. */
export type Subscribed<R = unknown> = {
  /** What the params mean, defaults filled in; has a JSON form. */
  readonly key: readonly unknown[];
  readonly watch: Watch<R>;
};

/** Reads the params of one kind of subscription, which have passed checkParams. Throws a ServiceError for what that cannot see. */
export type LocalnetSubscription<N extends SubscriptionName> = (
  ledger: Ledger,
  ...params: SubscriptionParams[N]
) => Subscribed<SubscriptionNotifications[N]>;
