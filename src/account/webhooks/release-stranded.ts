import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';

/**
 * Makes deliveries due that wait for an earlier event of their wallet which does not wait itself. `webhookId` undefined: of all webhooks.
 */
export async function releaseStranded(
  db: Pick<Store['db'], 'execute'>,
  nowMs: number,
  webhookId?: string,
): Promise<void> {
  await db.execute(sql`
    update webhook_deliveries d set next_at = ${new Date(nowMs).toISOString()}::timestamptz
    where d.state = 'waiting' and d.wallet_id is not null and d.next_at is null
      ${webhookId === undefined ? sql`` : sql`and d.webhook_id = ${webhookId}`} and not exists (
      select from webhook_deliveries e
      where e.webhook_id = d.webhook_id and e.wallet_id = d.wallet_id and e.state = 'waiting' and e.seq < d.seq)`);
}
