import { utcMonth } from '../../base/utc-month.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { appendAudits } from '../audit/append-audits.ts';
import { BEFORE_ALL, type Round } from './account-rounds.ts';
import type { BillingNotice } from './billing-notice.ts';
import { crossThreshold } from './cross-threshold.ts';
import { inToldTransaction, type Tell, tellNobody } from './tell-notices.ts';
import { INVOICE_THRESHOLD } from './terms.ts';

type Charged = { readonly accountId: string; readonly isDue: boolean };
type Row = { readonly account_id: string; readonly is_due: boolean };

/** Looks at the accounts that were charged this month for those above the threshold: `crossThreshold`. */
export function thresholdsToCross(store: Store, tell: Tell = tellNobody): Round<Charged> {
  const pageSize = 1_000;
  return {
    pageSize,
    find: async (after, nowMs) => {
      const { rows } = await store.db.execute<Row>(sql`
        select p.account_id, p.charged > ${INVOICE_THRESHOLD} and b.invoiced_since is null
          and coalesce(b.mode, 'by_volume') = 'by_volume' and (t.month is null or coalesce(b.credit_limit, 0) > 0) as is_due
        from (
          select account_id, month, sum(amount) as charged from operation_counts
          where not is_closed and month = ${utcMonth(nowMs)} and account_id > ${after?.accountId ?? BEFORE_ALL}::uuid
          group by 1, 2 order by 1 limit ${pageSize}
        ) p
        left join billing_terms b on b.account_id = p.account_id
        left join threshold_crossings t on t.account_id = p.account_id and t.month = p.month
        order by 1`);
      return rows.map((row) => ({ accountId: row.account_id, isDue: row.is_due }));
    },
    work: async ({ accountId, isDue }, nowMs) => (isDue ? crossNow(store, accountId, nowMs, tell) : []),
  };
}

/** Does this for one account. @returns what happened. */
export function crossNow(
  store: Store,
  accountId: string,
  nowMs: number,
  tell: Tell = tellNobody,
): Promise<readonly BillingNotice[]> {
  return inToldTransaction(store, { tell, nowMs }, async (tx) => {
    const crossing = await crossThreshold(tx, { accountId, month: utcMonth(nowMs), nowMs });
    await appendAudits(tx, crossing.facts, nowMs);
    return crossing.notices;
  });
}
