import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { replayFrom } from '../../webhooks/webhooks.ts';
import type { AccountContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { showWebhook } from '../show-webhook.ts';

/** `POST /account/v1/webhooks/{id}/replay`. */
export const replayWebhook: AccountHandler<AccountContext, 'replayWebhook'> = async (
  context,
  { id, body },
) => {
  const deps = { store: context.store, record: recordChange(context, 'replaywebhook') };
  return { kind: 'json', body: showWebhook(await replayFrom(deps, ownWebhook(context, id), body.from_seq)) };
};
