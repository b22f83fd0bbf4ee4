import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { replayFrom } from '../../webhooks/webhooks.ts';
import type { OperationContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toWebhookView } from '../webhook-view.ts';

/** `POST /account/v1/webhooks/{id}/replay`. */
export const replayWebhook: AccountHandler<OperationContext, 'replayWebhook'> = async (
  context,
  { id, body },
) => {
  const deps = { store: context.store, record: recordChange(context, 'replaywebhook') };
  const own = ownWebhook(context, id);
  const webhook = await replayFrom(deps, own, body.from_seq, context.clock.nowMs());
  return { kind: 'json', body: toWebhookView(webhook) };
};
