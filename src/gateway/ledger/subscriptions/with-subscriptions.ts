import {
  isSubscriptionName,
  isUnsubscribeName,
  type SubscriptionName,
  type UnsubscribeName,
} from '../../../../generated/ledger/subscriptions.ts';
import type { Context } from '../../../core/rpc/context.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { Call } from '../../../core/rpc/call.ts';
import { assertParams } from '../check-call.ts';
import type { LedgerReply } from '../outcome.ts';
import type { Ledger } from '../ledger.ts';
import type { Hub } from './hub.ts';
import type { Listener } from '../../../core/rpc/notification.ts';

/**
 * Serves subscribe and unsubscribe calls of connections that can receive notifications; for all others these methods do not
 * exist. They are not reads, which are served together.
 */
export function withSubscriptions(ledger: Ledger, hub: Hub): Ledger {
  return {
    ...ledger,
    serve: (call, context) => {
      const { method } = call;
      const { listener } = context;
      if (listener === undefined) return ledger.serve(call, context);
      if (isSubscriptionName(method)) return subscribe(hub, { method, call, context, listener });
      if (isUnsubscribeName(method)) return unsubscribe(hub, method, call, listener);
      return ledger.serve(call, context);
    },
  };
}

type Subscribing = {
  readonly method: SubscriptionName;
  readonly call: Call;
  readonly context: Context;
  readonly listener: Listener;
};

async function subscribe(hub: Hub, { method, call, context, listener }: Subscribing): Promise<LedgerReply> {
  assertParams(method, call.params, { hasNode: true });
  const outcome = await hub.subscribe(method, call.params, listener, context.signal);
  if (outcome.kind === 'subscribed') return { kind: 'result', json: String(outcome.id) };
  const head = Buffer.from('{"jsonrpc":"2.0","error":');
  const body = Buffer.concat([head, outcome.error, Buffer.from(`,"id":${call.id}}`)]);
  return { kind: 'whole', body, isError: true };
}

/** A call of any kind ends subscriptions of every kind, as on nodes. */
async function unsubscribe(
  hub: Hub,
  method: UnsubscribeName,
  { params }: Call,
  { subscriber }: Listener,
): Promise<LedgerReply> {
  assertParams(method, params, { hasNode: true });
  const [id] = params as readonly [number | bigint];
  if (!hub.unsubscribe(Number(id), subscriber)) throw serviceError('subscriptionNotFound');
  return { kind: 'result', json: 'true' };
}
