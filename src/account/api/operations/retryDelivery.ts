import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { retryDelivery as retry } from '../../webhooks/deliveries.ts';
import type { AccountContext } from '../account-context.ts';
import { ownDelivery } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toDeliveryView } from '../delivery-view.ts';

/** `POST /account/v1/deliveries/{id}/retry`. The event is sent within a moment. */
export const retryDelivery: AccountHandler<AccountContext, 'retryDelivery'> = async (context, { id }) => {
  const deps = { store: context.store, record: recordChange(context, 'retrydelivery') };
  const delivery = await retry(deps, ownDelivery(context, id), context.clock.nowMs());
  return { kind: 'json', body: toDeliveryView(delivery) };
};
