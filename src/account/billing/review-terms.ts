import { createRequestId } from '../../base/request-id.ts';
import { monthsLater, utcMonth } from '../../base/utc-month.ts';
import { billingTerms } from '../../store/billing-tables.ts';
import { and, asc, eq, gt, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { lockBooks, setCreditLimit } from '../money/books.ts';
import { isMonthRecorded, isMonthRecordedByStore } from '../service-level/recorded-until.ts';
import { BEFORE_ALL, type Round } from './account-rounds.ts';
import type { BillingNotice } from './billing-notice.ts';
import { inToldTransaction, type Tell, tellNobody } from './tell-notices.ts';
import { chargedIn, INVOICE_THRESHOLD, writeTerms } from './terms.ts';

/**
 * Reviews accounts that are invoiced by volume, once their last month of UTC is closed. One whose last month cost no more than the threshold
 * is told; one whose month before did, too, and that was told of it, pays from its balance from now on. What it owes stays due, and it
 * spends nothing until it has paid it.
 */
export function termsToReview(store: Store, tell: Tell = tellNobody): Round<{ readonly accountId: string }> {
  const pageSize = 50;
  const { accountId } = billingTerms;
  return {
    pageSize,
    find: async (after, nowMs) => {
      const last = monthsLater(utcMonth(nowMs), -1);
      if (!isMonthRecorded(last, nowMs)) return [];
      return store.db
        .select({ accountId })
        .from(billingTerms)
        .where(and(isDue(last), gt(accountId, after?.accountId ?? BEFORE_ALL)))
        .orderBy(asc(accountId))
        .limit(pageSize);
    },
    work: (account, nowMs) =>
      inToldTransaction(store, { tell, nowMs }, (tx) => review(tx, account.accountId, nowMs)),
  };
}

/** The month before the one that it is invoiced since is not looked at, nor one that still has to be closed. */
const isDue = (last: string) => sql`
  mode = 'by_volume' and invoiced_since <= ${last} and coalesce(reviewed, '') < ${last}
  and ${isMonthRecordedByStore(sql`${last}`)}
  and not exists (
    select from operation_counts c
    where c.account_id = ${billingTerms.accountId} and c.month <= ${last} and not c.is_closed)
  and not exists (
    select from reservations r
    where r.account_id = ${billingTerms.accountId} and r.month <= ${last} and r.closed_at is null)`;

async function review(
  tx: StoreTransaction,
  accountId: string,
  nowMs: number,
): Promise<readonly BillingNotice[]> {
  const last = monthsLater(utcMonth(nowMs), -1);
  const books = await lockBooks(tx, accountId);
  const isIt = and(eq(billingTerms.accountId, accountId), isDue(last));
  const [terms] = await tx.select({ below: billingTerms.below }).from(billingTerms).where(isIt);
  if (terms === undefined) return [];
  if ((await chargedIn(tx, accountId, last)) > INVOICE_THRESHOLD) {
    await writeTerms(tx, accountId, { reviewed: last, below: null });
    return [];
  }
  const kind = terms.below === monthsLater(last, -1) ? 'prepaid' : 'below';
  if (kind === 'below') await writeTerms(tx, accountId, { reviewed: last, below: last });
  else {
    await setCreditLimit(tx, books, 0n);
    await writeTerms(tx, accountId, {
      reviewed: last,
      below: null,
      invoicedSince: null,
      invoicedUntil: last,
    });
  }
  const fact = { action: `billing.${kind}`, outcome: 'ok', requestId: createRequestId() };
  await appendAudit(tx, accountId, [fact], nowMs);
  return [{ kind, accountId }];
}
