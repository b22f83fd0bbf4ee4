import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Subscription } from '../../model/subscription.ts';
import { docComment, HEADER, literal, memberName, quote } from '../../text.ts';

/** ledger/subscriptions.ts: the gateway's facts about each subscription, as tables. */
export const renderSubscriptions = ({ subscriptions, common }: LedgerModel): Files => ({
  'ledger/subscriptions.ts': `${HEADER}
export type SubscriptionName = ${union(subscriptions.map(({ name }) => name))};

/** The calls that end subscriptions. */
export type UnsubscribeName = ${union(subscriptions.map(({ unsubscribe }) => unsubscribe))};

/** The methods of notification messages. */
export type NotificationName = ${union(subscriptions.map(({ notification }) => notification.name))};

export type SubscriptionInfo = {
  readonly name: SubscriptionName;
  readonly unsubscribe: UnsubscribeName;
  readonly notification: NotificationName;
  /** Given by the interface, or chosen by us. */
  readonly origin: 'given' | 'chosen';
  /** Weight of the subscribe call in the account's budget. */
  readonly cost: number;
  /** True if a notification is \`{context: {slot}, value}\`, false if it is the bare value. */
  readonly hasContext: boolean;
  /** \`some\`: only nodes whose operator allowed it serve it; the others have no such method. */
  readonly nodes: 'all' | 'some';
  /** The backfill after a lost connection to the node: the latest state, the status, the missed blocks, or nothing. */
  readonly refill: 'state' | 'status' | 'blocks' | 'none';
  /** Notifications that a slow reader receives: the latest only, or all until its bound is hit. */
  readonly congested: 'latest' | 'all';
  /** True if the server ends it after the notification that was waited for: the one that has a member at \`outcome\`. */
  readonly endsItself: boolean;
  readonly outcome?: readonly string[];
  readonly minParams: number;
  readonly maxParams: number;
};

export const SUBSCRIPTIONS: { readonly [S in SubscriptionName]: SubscriptionInfo } = {
${subscriptions.map((item) => `${docComment(item.summary)}${memberName(item.name)}: ${literal(info(item))},\n`).join('')}};

/** From the call that ends a subscription to the one that makes it. Each ends subscriptions of every kind. */
export const UNSUBSCRIBES: { readonly [U in UnsubscribeName]: SubscriptionName } = {
${subscriptions.map(({ name, unsubscribe }) => `${memberName(unsubscribe)}: ${quote(name)},\n`).join('')}};

/** The weight of each of them. */
export const UNSUBSCRIBE_COST = ${common.unsubscribe['x-cost']};

${docComment(common.gap.description)}export const GAP_NOTIFICATION = ${quote(common.gap.name)};

/** True if the text is the name of a subscribe call; names are case-sensitive. */
export const isSubscriptionName = (text: string): text is SubscriptionName =>
  Object.hasOwn(SUBSCRIPTIONS, text);

/** True if the text is the name of a call that ends a subscription. */
export const isUnsubscribeName = (text: string): text is UnsubscribeName =>
  Object.hasOwn(UNSUBSCRIBES, text);
`,
});

const info = (item: Subscription) => ({
  name: item.name,
  unsubscribe: item.unsubscribe,
  notification: item.notification.name,
  origin: item.origin,
  cost: item.cost,
  hasContext: item.hasContext,
  nodes: item.nodes,
  refill: item.refill,
  congested: item.congested,
  endsItself: item.outcome !== undefined,
  outcome: item.outcome,
  minParams: item.minParams,
  maxParams: item.params.length,
});

const union = (names: readonly string[]): string => names.map(quote).join(' | ') || 'never';
