import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Subscription } from '../../model/subscription.ts';
import { docComment, HEADER, literal, memberName, quote } from '../../text.ts';
import { callDoc } from './method-doc.ts';

/** ledger/subscriptions-client.ts: one typed function per subscription, over WebSocket. */
export const renderSubscriptionsClient = (model: LedgerModel): Files => ({
  'ledger/subscriptions-client.ts': `${HEADER}import { createSubscriptionClient } from '../../runtime/subscription-client.ts';
import type { OpenSubscription, SubscribeOptions, SubscriptionClientOptions, SubscriptionKind } from '../../runtime/subscription-types.ts';
import { DECODE_GAP, NOTIFICATION_DECODERS } from './decoders.ts';
import { GAP_NOTIFICATION, type SubscriptionName } from './subscriptions.ts';
import type { SubscriptionNotifications, SubscriptionParams } from './types.ts';

export type { GapReport } from '../../runtime/notification-queue.ts';
export type { Closing, SocketClass, SocketLike } from '../../runtime/socket-link.ts';
export type { ConnectionEvent, OpenSubscription, SubscribeOptions, SubscriptionClientOptions } from '../../runtime/subscription-types.ts';

/** A subscription of a kind: an async iterable of its notifications. */
export type LedgerSubscription<S extends SubscriptionName> = OpenSubscription<SubscriptionNotifications[S]>;

/** Answers when the server has acknowledged the subscription. */
export type SubscribeCall<S extends SubscriptionName> = (...params: SubscriptionParams[S]) => Promise<LedgerSubscription<S>>;

/** The subscriptions as functions. u64, i64 and usize are bigint; params take either. They throw CallError. */
export interface LedgerSubscriptions {
${model.subscriptions
  .map(
    (item) =>
      `${docComment(callDoc(item, model))}readonly ${memberName(item.name)}: SubscribeCall<${quote(item.name)}>;\n`,
  )
  .join('')}
/** The same by name, with a signal of its own. */
readonly subscribe: <S extends SubscriptionName>(name: S, params: SubscriptionParams[S], options?: SubscribeOptions) => Promise<LedgerSubscription<S>>;
/** Ends all subscriptions and the connection, which is kept until then. */
readonly close: () => void;
}

/** Subscriptions over one WebSocket; it runs wherever WebSocket does. A lost connection is opened again, and what was subscribed to asked for again. */
export const createLedgerSubscriptions = (options: SubscriptionClientOptions): LedgerSubscriptions => {
  const client = createSubscriptionClient(options, {
    kinds: KINDS,
    gap: { notification: GAP_NOTIFICATION, decode: DECODE_GAP },
    finalCodes: ${literal(finalCodes(model))},
  });
  const subscribe: LedgerSubscriptions['subscribe'] = async <S extends SubscriptionName>(
    name: S,
    params: SubscriptionParams[S],
    options?: SubscribeOptions,
  ) => (await client.subscribe(name, params, options)) as LedgerSubscription<S>;
  const named = <S extends SubscriptionName>(name: S): SubscribeCall<S> => (...params) => subscribe(name, params);
  return {
    subscribe,
    close: client.close,
${model.subscriptions.map(({ name }) => `${memberName(name)}: named(${quote(name)}),\n`).join('')}  };
};

const KINDS: { readonly [S in SubscriptionName]: SubscriptionKind } = {
${model.subscriptions.map((item) => `${memberName(item.name)}: { ${kind(item)} },\n`).join('')}};
`,
});

/** The close codes for a key that has ended: a new connection would be refused. */
const finalCodes = ({ errors }: LedgerModel): readonly number[] =>
  [...errors.values()].flatMap(({ close, http }) => (close && http === UNAUTHORIZED ? [close.code] : []));

const UNAUTHORIZED = 401;

const kind = ({ name, unsubscribe, notification, congested, outcome }: Subscription): string =>
  [
    `unsubscribe: ${quote(unsubscribe)}`,
    `notification: ${quote(notification.name)}`,
    `congested: ${quote(congested)}`,
    ...(outcome ? [`outcome: ${literal(outcome)}`] : []),
    `decode: NOTIFICATION_DECODERS${/^\w+$/.test(name) ? `.${name}` : `[${quote(name)}]`}`,
  ].join(', ');
