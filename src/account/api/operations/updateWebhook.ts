import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readLedgerChoice, type WrittenLedger } from '../../webhooks/ledger/read-ledger-choice.ts';
import { changeWebhook, type OwnWebhook, readWebhook, type Webhook } from '../../webhooks/webhooks.ts';
import type { OperationContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { assertMayRead, readChoice } from '../read-webhook.ts';
import { recordChange } from '../record-change.ts';
import { toWebhookView } from '../webhook-view.ts';

/** `POST /account/v1/webhooks/{id}`. */
export const updateWebhook: AccountHandler<OperationContext, 'updateWebhook'> = async (
  context,
  { id, body },
) => {
  const { name, url, events, ordered, active, ledger: written } = body;
  const own = ownWebhook(context, id);
  await readChoice(context, { url, events });
  const check = (before: Webhook): void => {
    assertMayRead(context, before.events);
    assertMayRead(context, events ?? before.events);
  };
  const deps = { ...context, record: recordChange(context, 'updatewebhook'), check };
  const ledger = written && (await readChange(context, own, written));
  const change = { name, url, events: events && [...events], isOrdered: ordered, isActive: active, ledger };
  return { kind: 'json', body: toWebhookView(await changeWebhook(deps, own, change, context.clock.nowMs())) };
};

async function readChange({ store, webhooks }: OperationContext, own: OwnWebhook, written: WrittenLedger) {
  const { ledger } = await readWebhook(store.db, own);
  return readLedgerChoice(webhooks.ledgers, written, ledger);
}
