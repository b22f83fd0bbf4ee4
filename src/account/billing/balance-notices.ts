import { printUsd } from '../../../runtime/micro-usd.ts';
import { createRequestId } from '../../base/request-id.ts';
import { balanceNotices } from '../../store/billing-tables.ts';
import { and, eq, gt, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { lockBooks } from '../money/books.ts';
import { BEFORE_ALL, type Round } from './account-rounds.ts';
import type { BillingNotice } from './billing-notice.ts';
import { inToldTransaction, type Tell, tellNobody } from './tell-notices.ts';

/** Returns the amounts at which an account is told, in micro-USD, highest first. */
export async function readBalanceNotices(
  db: Pick<Store['db'], 'select'>,
  accountId: string,
): Promise<readonly bigint[]> {
  const { threshold } = balanceNotices;
  const rows = await db.select({ threshold }).from(balanceNotices).where(isOf(accountId));
  return rows.map((row) => row.threshold).sort((a, b) => (a < b ? 1 : -1));
}

/** Replaces the amounts at which an account is told, which it is at once of those that it has less than. */
export async function setBalanceNotices(
  tx: StoreTransaction,
  accountId: string,
  thresholds: readonly bigint[],
): Promise<void> {
  await lockBooks(tx, accountId);
  await tx.delete(balanceNotices).where(isOf(accountId));
  if (thresholds.length === 0) return;
  await tx
    .insert(balanceNotices)
    .values(thresholds.map((threshold) => ({ accountId, threshold, isArmed: true })));
}

/** Records that accounts can spend less than they want to have: of each amount once, until money is added (see `postMoney`). */
export function lowBalances(store: Store, tell: Tell = tellNobody): Round<{ readonly accountId: string }> {
  const pageSize = 50;
  return {
    pageSize,
    find: async (after) => {
      const { rows } = await store.db.execute<{ readonly account_id: string }>(sql`
        select distinct n.account_id from balance_notices n
        join ledger_accounts l on l.account_id = n.account_id and l.kind = 'available'
        where n.is_armed and l.balance - coalesce(l.floor, 0) < n.threshold
          and n.account_id > ${after?.accountId ?? BEFORE_ALL}::uuid
        order by 1 limit ${pageSize}`);
      return rows.map((row) => ({ accountId: row.account_id }));
    },
    work: ({ accountId }, nowMs) =>
      inToldTransaction(store, { tell, nowMs }, (tx) => noticeBalance(tx, accountId, nowMs)),
  };
}

/** @returns one notice, of the lowest amount. */
async function noticeBalance(
  tx: StoreTransaction,
  accountId: string,
  nowMs: number,
): Promise<readonly BillingNotice[]> {
  const books = await lockBooks(tx, accountId);
  const available = books.available - books.floor;
  const passed = await tx
    .update(balanceNotices)
    .set({ isArmed: false })
    .where(and(isOf(accountId), eq(balanceNotices.isArmed, true), gt(balanceNotices.threshold, available)))
    .returning({ threshold: balanceNotices.threshold });
  const thresholds = passed.map(({ threshold }) => threshold).sort((a, b) => (a < b ? -1 : 1));
  const requestId = createRequestId();
  const facts = thresholds.map((threshold) => ({
    ...{ action: 'balance.low', outcome: 'ok', requestId },
    subject: printUsd(threshold),
  }));
  await appendAudit(tx, accountId, facts, nowMs);
  const [threshold] = thresholds;
  return threshold === undefined ? [] : [{ kind: 'balance', accountId, threshold, available }];
}

function isOf(accountId: string) {
  return eq(balanceNotices.accountId, accountId);
}
