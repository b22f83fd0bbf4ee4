import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { rotateSecret } from '../../webhooks/webhooks.ts';
import type { AccountContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { recordChange } from '../record-change.ts';
import { showWebhook } from '../show-webhook.ts';

const DAY_S = 86_400;

/** `POST /account/v1/webhooks/{id}/rotate`. The secret is in the answer, and nowhere else. */
export const rotateWebhookSecret: AccountHandler<AccountContext, 'rotateWebhookSecret'> = async (
  context,
  { id, body },
) => {
  const { overlap_seconds: overlapS = DAY_S } = body;
  const deps = { ...context, ...context.webhooks, record: recordChange(context, 'rotatewebhooksecret') };
  const own = ownWebhook(context, id);
  const { webhook, secret } = await rotateSecret(deps, own, overlapS * 1_000, context.clock.nowMs());
  return { kind: 'json', body: { ...showWebhook(webhook), secret } };
};
