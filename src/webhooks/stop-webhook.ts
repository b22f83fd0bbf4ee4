import { appendAudit } from '../account/audit/append-audit.ts';
import { eq } from '../store/drizzle.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { webhooks } from '../store/webhook-tables.ts';
import type { Stop } from './deliver-round.ts';

export type Stopped = {
  readonly accountId: string;
  readonly webhookId: string;
  readonly stop: Stop;
  /** Id under which it is recorded in the audit log. */
  readonly requestId: string;
  readonly nowMs: number;
};

/** Stops a webhook that a member has not stopped, and records that. The last step of its transaction: see `appendAudit`. */
export async function stopWebhook(
  tx: StoreTransaction,
  { accountId, webhookId, stop, requestId, nowMs }: Stopped,
): Promise<void> {
  await tx
    .update(webhooks)
    .set({ stop, stoppedAt: new Date(nowMs) })
    .where(eq(webhooks.id, webhookId));
  const fact = { action: 'webhook.stop', outcome: stop, requestId, subject: webhookId };
  await appendAudit(tx, accountId, [fact], nowMs);
}
