import { monthsLater, utcMonth } from '../../base/utc-month.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { isMonthRecorded, isMonthRecordedByStore } from '../service-level/recorded-until.ts';
import { BEFORE_ALL, type Round } from './account-rounds.ts';
import type { AccountMonth } from './account-month.ts';
import { closeMonth } from './close-month.ts';
import { inToldTransaction, type Tell, tellNobody } from './tell-notices.ts';
import type { InvoiceTexts } from './write-invoice.ts';

type OpenRow = { readonly month: string; readonly account_id: string };

/**
 * Closes months that are over and recorded, oldest first, by the clocks of this process and of the store. Several processes may do it at once. Those in
 * which work is under way are left for a later round.
 */
export function monthsToClose(
  store: Store,
  texts: InvoiceTexts,
  tell: Tell = tellNobody,
): Round<AccountMonth> {
  const pageSize = 20;
  return {
    pageSize,
    find: async (after, nowMs) => {
      const { rows } = await store.db.execute<OpenRow>(sql`
        select distinct c.month, c.account_id from operation_counts c
        where not c.is_closed and c.month <= ${lastRecorded(nowMs)} and ${isMonthRecordedByStore(sql`c.month`)}
          and (c.month, c.account_id) > (${after?.month ?? ''}, ${after?.accountId ?? BEFORE_ALL}::uuid)
          and not exists (
            select from reservations r where r.account_id = c.account_id and r.month <= c.month and r.closed_at is null)
        order by 1, 2 limit ${pageSize}`);
      return rows.map((row) => ({ accountId: row.account_id, month: row.month }));
    },
    work: (month, nowMs) =>
      inToldTransaction(store, { tell, nowMs }, (tx) => closeMonth(tx, texts, { ...month, nowMs })),
  };
}

function lastRecorded(nowMs: number): string {
  const last = monthsLater(utcMonth(nowMs), -1);
  return isMonthRecorded(last, nowMs) ? last : monthsLater(last, -1);
}
