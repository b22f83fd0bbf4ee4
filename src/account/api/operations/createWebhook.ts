import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readLedgerChoice } from '../../webhooks/ledger/read-ledger-choice.ts';
import { createWebhook as create } from '../../webhooks/webhooks.ts';
import type { OperationContext } from '../account-context.ts';
import { assertMayRead, readChoice } from '../read-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toWebhookView } from '../webhook-view.ts';

/** `POST /account/v1/webhooks`. The secret is in the answer, and nowhere else. */
export const createWebhook: AccountHandler<OperationContext, 'createWebhook'> = async (context, { body }) => {
  const { caller, clock } = context;
  const { name, url, events = [], ordered = false, ledger: written } = body;
  assertMayRead(context, events);
  await readChoice(context, { url, events });
  const installationKey = await context.webhooks.installationKey();
  const deps = { ...context, installationKey, record: recordChange(context, 'createwebhook') };
  const ledger = written && (await readLedgerChoice(context.webhooks.ledgers, written, null));
  const choice = { name, url, events: [...events], isOrdered: ordered, ledger };
  const { webhook, secret } = await create(deps, caller.accountId, choice, clock.nowMs());
  return { kind: 'json', body: { ...toWebhookView(webhook), secret } };
};
