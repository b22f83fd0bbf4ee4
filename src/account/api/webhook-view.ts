import type { Webhook as ShownWebhook, WebhookLedger } from '../../../generated/account/types.ts';
import type { ChosenLedger } from '../webhooks/ledger/choose-ledger.ts';
import type { Webhook } from '../webhooks/webhooks.ts';

/** Returns a webhook as the account service shows it, without its secrets. */
export function toWebhookView(webhook: Webhook): ShownWebhook {
  const { id, name, url, events, isOrdered, stop, stoppedAt, failingSince, oldSecretUntil } = webhook;
  return {
    webhook_id: id,
    name,
    url,
    events,
    ordered: isOrdered,
    state: stop ?? 'active',
    ...(webhook.ledger !== null && { ledger: showLedger(webhook.ledger) }),
    ...(stoppedAt !== null && { stopped_at: stoppedAt.toISOString() }),
    position: webhook.position,
    waiting: webhook.waiting,
    ...(failingSince !== null && { failing_since: failingSince.toISOString() }),
    ...(oldSecretUntil !== null && { old_signs_until: oldSecretUntil.toISOString() }),
    created_at: webhook.createdAt.toISOString(),
  };
}

function showLedger({ slot, ...ledger }: ChosenLedger): WebhookLedger {
  return { ...ledger, filters: [...ledger.filters], ...(slot !== null && { slot }) };
}
