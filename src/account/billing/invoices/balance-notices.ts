import { printUsd } from '../../../../runtime/micro-usd.ts';
import { createRequestId } from '../../../core/request-id.ts';
import { balanceNotices } from '../../../store/billing-tables.ts';
import { and, eq, gt, sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { appendAudit } from '../../audit/append-audit.ts';
import { lockBooks } from '../books/books.ts';
import { type BillingNotice, inToldTransaction, type Tell, tellNobody } from './billing-notice.ts';

/** Returns the amounts below which an account is notified, in micro-USD, highest first. */
export async function readBalanceNotices(
  db: Pick<Store['db'], 'select'>,
  accountId: string,
): Promise<readonly bigint[]> {
  const { threshold } = balanceNotices;
  const rows = await db.select({ threshold }).from(balanceNotices).where(isOf(accountId));
  return rows.map((row) => row.threshold).sort((a, b) => (a < b ? 1 : -1));
}

/** Replaces the amounts below which an account is notified. It is notified at once of those that it is already below. */
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

/** Notifies accounts that can spend less than the amounts they chose: once for each amount, until money is added (see `postMoney`). */
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
    action: 'balance.low',
    outcome: 'ok',
    requestId,
    subject: printUsd(threshold),
  }));
  await appendAudit(tx, accountId, facts, nowMs);
  const [threshold] = thresholds;
  return threshold === undefined ? [] : [{ kind: 'balance', accountId, threshold, available }];
}

function isOf(accountId: string) {
  return eq(balanceNotices.accountId, accountId);
}

/** Receives the notices and failures of rounds. */
export type RoundListener = {
  /** Called with notices that are committed. */
  readonly onNotice: (notice: BillingNotice) => void;
  /** Called with the error of an account, which is tried again in the next round. */
  readonly onFailure: (error: unknown, accountId: string) => void;
};

/** The id of an account before all others. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Work that is done for one account after another, round after round. */
export type Round<T extends { readonly accountId: string }> = {
  /** The number of accounts that `find` returns if there may be more. */
  readonly pageSize: number;
  /** Finds the items after another one, in order; undefined: the first ones. */
  readonly find: (after: T | undefined, nowMs: number) => Promise<readonly T[]>;
  /** Does the work of one item in its own transaction, if it is still due. @returns its notices. */
  readonly work: (item: T, nowMs: number) => Promise<readonly BillingNotice[]>;
};

/**
 * Goes through accounts in order. An account that fails ends the page; the next page begins after it, so that it does not block others.
 *
 * @returns a function that does a page, and resolves to true if the round continues.
 */
export function createRounds<T extends { readonly accountId: string }>(
  { pageSize, find, work }: Round<T>,
  { onNotice, onFailure }: RoundListener,
): (nowMs: number) => Promise<boolean> {
  let last: T | undefined;
  return async (nowMs) => {
    const page = await find(last, nowMs);
    for (const item of page) {
      last = item;
      try {
        for (const notice of await work(item, nowMs)) onNotice(notice);
      } catch (error) {
        onFailure(error, item.accountId);
        return false;
      }
    }
    if (page.length < pageSize) last = undefined;
    return last !== undefined;
  };
}
