import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readDelivery as read } from '../../webhooks/deliveries.ts';
import type { AccountContext } from '../account-context.ts';
import { ownDelivery } from '../own-webhook.ts';
import { toAttemptView, toDeliveryView } from '../delivery-view.ts';

/** `GET /account/v1/deliveries/{id}`. */
export const readDelivery: AccountHandler<AccountContext, 'readDelivery'> = async (context, { id }) => {
  const { delivery, body, attempts } = await read(context.store, ownDelivery(context, id));
  const shown = { delivery: toDeliveryView(delivery), attempts: attempts.map(toAttemptView) };
  return { kind: 'json', body: body === undefined ? shown : { ...shown, body } };
};
