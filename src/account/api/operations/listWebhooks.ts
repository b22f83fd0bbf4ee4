import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readWebhooks } from '../../webhooks/webhooks.ts';
import type { OperationContext } from '../account-context.ts';
import { toWebhookView } from '../webhook-view.ts';

/** `GET /account/v1/webhooks`. */
export const listWebhooks: AccountHandler<OperationContext, 'listWebhooks'> = async ({ store, caller }) => {
  const webhooks = await readWebhooks(store, caller.accountId);
  return { kind: 'json', body: { webhooks: webhooks.map(toWebhookView) } };
};
