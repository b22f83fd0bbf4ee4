import { appendAudit } from '../audit/append-audit.ts';
import { and, eq, isNull } from '../../store/drizzle.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { webhooks } from '../../store/webhook-tables.ts';
import type { Stop } from './deliver-round.ts';

export type Stopped = {
  readonly accountId: string;
  readonly webhookId: string;
  readonly stop: Stop;
  /** Id under which it is recorded in the audit log. */
  readonly requestId: string;
  readonly nowMs: number;
};

/**
 * Stops an active webhook, and records that; a webhook that a member has turned off meanwhile stays as it is. The last step of its
 * transaction: see `appendAudit`.
 *
 * @returns true if it was stopped.
 */
export async function stopWebhook(
  tx: StoreTransaction,
  { accountId, webhookId, stop, requestId, nowMs }: Stopped,
): Promise<boolean> {
  const { rowCount } = await tx
    .update(webhooks)
    .set({ stop, stoppedAt: new Date(nowMs) })
    .where(and(eq(webhooks.id, webhookId), isNull(webhooks.stop)));
  if (rowCount === 0) return false;
  const fact = { action: 'webhook.stop', outcome: stop, requestId, subject: webhookId };
  await appendAudit(tx, accountId, [fact], nowMs);
  return true;
}
