import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readDelivery as read } from '../../webhooks/deliveries.ts';
import type { AccountContext } from '../account-context.ts';
import { ownDelivery } from '../own-webhook.ts';
import { showAttempt, showDelivery } from '../show-delivery.ts';

/** `GET /account/v1/deliveries/{id}`. */
export const readDelivery: AccountHandler<AccountContext, 'readDelivery'> = async (context, { id }) => {
  const { delivery, body, attempts } = await read(context.store, ownDelivery(context, id));
  const shown = { delivery: showDelivery(delivery), attempts: attempts.map(showAttempt) };
  return { kind: 'json', body: body === undefined ? shown : { ...shown, body } };
};
