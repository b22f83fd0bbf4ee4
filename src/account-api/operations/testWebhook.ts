import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { sendTest } from '../../webhooks/deliveries.ts';
import type { AccountContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { showDelivery } from '../show-delivery.ts';

/** `POST /account/v1/webhooks/{id}/test`. The event is sent within a moment. */
export const testWebhook: AccountHandler<AccountContext, 'testWebhook'> = async (context, { id }) => {
  const deps = { store: context.store, record: recordChange(context, 'testwebhook') };
  const delivery = await sendTest(deps, ownWebhook(context, id), context.clock.nowMs());
  return { kind: 'json', body: showDelivery(delivery) };
};
