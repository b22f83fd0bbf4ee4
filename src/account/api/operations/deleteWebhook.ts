import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { deleteWebhook as remove } from '../../webhooks/delete-webhook.ts';
import type { OperationContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toWebhookView } from '../webhook-view.ts';

/** `DELETE /account/v1/webhooks/{id}`. */
export const deleteWebhook: AccountHandler<OperationContext, 'deleteWebhook'> = async (context, { id }) => {
  const deps = { store: context.store, record: recordChange(context, 'deletewebhook') };
  const webhook = await remove(deps, ownWebhook(context, id), context.clock.nowMs());
  return { kind: 'json', body: toWebhookView(webhook) };
};
