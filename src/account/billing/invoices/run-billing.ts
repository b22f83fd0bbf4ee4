import type { Store } from '../../../store/open-store.ts';
import { createRounds, type RoundListener, BEFORE_ALL, type Round, lowBalances } from './balance-notices.ts';
import { type InvoiceTexts, closeMonth, requireInvoicing } from './close-month.ts';
import { monthsLater, utcMonth } from '../../../core/utc-month.ts';
import { sql, and, asc, eq, gt } from '../../../store/drizzle.ts';
import { isMonthRecorded, isMonthRecordedByStore } from '../../service-level/recorded-until.ts';
import { type AccountMonth, INVOICE_THRESHOLD, chargedIn, writeTerms } from './terms.ts';
import { type BillingNotice, type Tell, inToldTransaction, tellNobody } from './billing-notice.ts';
import { createRequestId } from '../../../core/request-id.ts';
import { billingTerms } from '../../../store/billing-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { appendAudit, appendAudits } from '../../audit/append-audit.ts';
import { lockBooks, setCreditLimit } from '../books/books.ts';

export type BillingOptions = RoundListener & {
  readonly store: Store;
  readonly texts: InvoiceTexts;
  /** Called in the transaction of each notice, before `onNotice`. */
  readonly tell: Tell;
};

/**
 * Creates the work on the money of all accounts that no request does: notices of low balances, accounts that are invoiced from now on, the
 * end of months, and the review of terms. Several processes may do it at once.
 *
 * @returns a function that does a bounded step, and resolves to true if there is more to do now.
 */
export function createBillingWork({
  store,
  texts,
  tell,
  ...listener
}: BillingOptions): (nowMs: number) => Promise<boolean> {
  const lookAtThresholds = createRounds(thresholdsToCross(store, tell), listener);
  const noticeBalances = createRounds(lowBalances(store, tell), listener);
  const closeMonths = createRounds(monthsToClose(store, texts, tell), listener);
  const reviewTerms = createRounds(termsToReview(store, tell), listener);
  return async (nowMs) => {
    // Checks all accounts of the current month, a page in each step: more pages are no reason to hurry.
    await lookAtThresholds(nowMs);
    const goesOn = [await noticeBalances(nowMs), await closeMonths(nowMs), await reviewTerms(nowMs)];
    return goesOn.includes(true);
  };
}

type OpenRow = { readonly month: string; readonly account_id: string };

/**
 * Closes months that are over and recorded, oldest first, by the clocks of this process and of the store. Several processes may do it at
 * once. Months in which work is under way are left for a later round.
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

type Charged = { readonly accountId: string; readonly isDue: boolean };
type Row = { readonly account_id: string; readonly is_due: boolean };

/** Compares the accounts that were charged this month with the threshold: `requireInvoicing`. */
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
    work: async ({ accountId, isDue }, nowMs) => (isDue ? crossNow(store, accountId, nowMs, { tell }) : []),
  };
}

/** Does this for one account, which requests an operation that costs `wanted` micro-USD. @returns the notices. */
export function crossNow(
  store: Store,
  accountId: string,
  nowMs: number,
  { tell = tellNobody, wanted = 0n }: { readonly tell?: Tell; readonly wanted?: bigint } = {},
): Promise<readonly BillingNotice[]> {
  return inToldTransaction(store, { tell, nowMs }, async (tx) => {
    const crossing = await requireInvoicing(tx, { accountId, month: utcMonth(nowMs), nowMs, wanted });
    await appendAudits(tx, crossing.facts, nowMs);
    return crossing.notices;
  });
}

/**
 * Reviews accounts that are invoiced by volume, once their last month of UTC is closed. An account whose last month cost no more than the
 * threshold is notified; after a second such month in a row, it pays from its balance from now on. Its debt stays due, and it can spend
 * nothing until that is paid.
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

/** Ignores the month before the one since which the account is invoiced, and months that still have to be closed. */
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
