import { createRequestId } from '../../../core/request-id.ts';
import { eq } from '../../../store/drizzle.ts';
import { carriedCharges } from '../../../store/money-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { appendAudit } from '../../audit/append-audit.ts';
import { toCharge } from './operation-count.ts';

/**
 * Records the sums that were charged before the audit log had charges: in one record of each account, once, even if several processes start
 * at the same time.
 */
export async function backfillChargeRecords(
  store: Pick<Store, 'db' | 'transaction'>,
  nowMs: number,
): Promise<void> {
  const { accountId } = carriedCharges;
  for (const { owner } of await store.db.selectDistinct({ owner: accountId }).from(carriedCharges)) {
    await store.transaction(async (tx) => {
      const rows = await tx.delete(carriedCharges).where(eq(accountId, owner)).returning();
      if (rows.length === 0) return;
      const charges = rows
        .map((row) => toCharge(row, row))
        .sort((a, b) => (a.month + a.operation < b.month + b.operation ? -1 : 1));
      const fact = { action: 'charge', outcome: 'carried', requestId: createRequestId(), charges };
      await appendAudit(tx, owner, [fact], nowMs);
    });
  }
}
