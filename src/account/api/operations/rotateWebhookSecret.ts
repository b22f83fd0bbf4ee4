import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { rotateSecret, type Webhook } from '../../webhooks/webhooks.ts';
import type { OperationContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { assertMayRead } from '../read-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toWebhookView } from '../webhook-view.ts';

const DAY_S = 86_400;

/** `POST /account/v1/webhooks/{id}/rotate`. The secret is in the answer, and nowhere else. */
export const rotateWebhookSecret: AccountHandler<OperationContext, 'rotateWebhookSecret'> = async (
  context,
  { id, body },
) => {
  const { overlap_seconds: overlapS = DAY_S } = body;
  const deps = {
    ...context,
    installationKey: await context.webhooks.installationKey(),
    record: recordChange(context, 'rotatewebhooksecret'),
    // With the secret, records that were never sent can be forged.
    check: ({ events }: Webhook) => assertMayRead(context, events),
  };
  const own = ownWebhook(context, id);
  const { webhook, secret } = await rotateSecret(deps, own, overlapS * 1_000, context.clock.nowMs());
  return { kind: 'json', body: { ...toWebhookView(webhook), secret } };
};
