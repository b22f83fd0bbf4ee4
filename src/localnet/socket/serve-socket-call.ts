import { LOCALNET_SUBSCRIPTIONS } from '../../../generated/ledger/localnet-subscriptions.ts';
import {
  isSubscriptionName,
  isUnsubscribeName,
  type SubscriptionName,
} from '../../../generated/ledger/subscriptions.ts';
import { type CallName, checkParams } from '../../../generated/ledger/params.ts';
import type { Call, RawReply } from '../../rpc/call.ts';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import { callMethod } from '../call-method.ts';
import type { Ledger } from '../ledger.ts';
import { printResult } from '../printed-result.ts';
import type { Subscriber } from '../subscriptions/subscriber.ts';
import type { Subscribed } from '../subscriptions/subscription.ts';
import type { SubscriptionHub } from '../subscriptions/subscription-hub.ts';

/** The connection that a call came on. */
export type Connection = Subscriber & {
  /** Called with a new subscription, before its notifications. */
  readonly begin: (id: number) => void;
  /** Called when a subscription was ended. */
  readonly end: (id: number) => void;
};

type AnySubscription = (ledger: Ledger, ...params: readonly unknown[]) => Subscribed;

/**
 * Answers one call over a WebSocket: subscriptions, and every method that is served over HTTP.
 *
 * @throws ServiceError subscriptionNotFound, subscriptionRefused, and those of `callMethod`.
 */
export async function serveSocketCall(
  ledger: Ledger,
  hub: SubscriptionHub,
  connection: Connection,
  { method, params, isNotification }: Call,
): Promise<RawReply> {
  if (isSubscriptionName(method)) {
    // Without an answer the client could not tell which notifications belong to it.
    if (isNotification) throw serviceError('invalidRequest');
    const subscribed = read(ledger, method, params);
    return result(hub.subscribe(connection, method, subscribed, connection.begin));
  }
  if (isUnsubscribeName(method)) {
    assertParams(method, params);
    const [id] = params as readonly [number | bigint];
    if (!hub.unsubscribe(connection, id)) throw serviceError('subscriptionNotFound');
    connection.end(Number(id));
    return result(true);
  }
  return result(await callMethod(ledger, method, params));
}

/** The params have been checked, which the types of the registry cannot express. */
function read(ledger: Ledger, name: SubscriptionName, params: unknown): Subscribed {
  assertParams(name, params);
  const subscription = LOCALNET_SUBSCRIPTIONS[name] as AnySubscription;
  return subscription(ledger, ...(Array.isArray(params) ? params : []));
}

function assertParams(name: CallName, params: unknown): void {
  const violation = checkParams(name, params);
  if (violation !== undefined) throw new ServiceError(violation.error, violation.context);
}

function result(value: unknown): RawReply {
  return { kind: 'result', json: printResult(value) };
}
