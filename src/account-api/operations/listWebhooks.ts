import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readWebhooks } from '../../webhooks/webhooks.ts';
import type { AccountContext } from '../account-context.ts';
import { showWebhook } from '../show-webhook.ts';

/** `GET /account/v1/webhooks`. */
export const listWebhooks: AccountHandler<AccountContext, 'listWebhooks'> = async ({ store, caller }) => {
  const webhooks = await readWebhooks(store, caller.accountId);
  return { kind: 'json', body: { webhooks: webhooks.map(showWebhook) } };
};
