import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { sendTest } from '../../webhooks/deliveries.ts';
import type { OperationContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toDeliveryView } from '../delivery-view.ts';

/** `POST /account/v1/webhooks/{id}/test`. The event is sent within a moment. */
export const testWebhook: AccountHandler<OperationContext, 'testWebhook'> = async (context, { id }) => {
  const deps = { store: context.store, record: recordChange(context, 'testwebhook') };
  const delivery = await sendTest(deps, ownWebhook(context, id), context.clock.nowMs());
  return { kind: 'json', body: toDeliveryView(delivery) };
};
