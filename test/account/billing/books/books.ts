import { sql } from '../../../../src/store/drizzle.ts';
import { expect } from 'vitest';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import type { PriceBook } from '../../../../src/account/billing/books/prices.ts';
import { priceOf } from '../../../../runtime/price-book.ts';
import { operationCounts } from '../../../../src/store/money-tables.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { NOW_MS } from '../../new-customer.ts';

/** Pays in, in micro-USD. */
export function pay(store: Store, accountId: string, amount: bigint): Promise<void> {
  return store.transaction((tx) => credit(tx, { accountId, amount, note: undefined, nowMs: NOW_MS }));
}

/** Holds the books of a store to what must be so of them, whatever happened. */
export async function expectBalanced(store: Store): Promise<void> {
  expect(await faults(store)).toEqual([]);
}

/** As `expectBalanced`, and what was charged to its prices, where nothing was given back. */
export async function expectSoundBooks(store: Store, prices: PriceBook): Promise<void> {
  await expectBalanced(store);
  const counts = await store.db.select().from(operationCounts);
  const due = new Map<string, bigint>();
  for (const { accountId, operation, units } of counts) {
    const cost = priceOf(prices, { operation: operation as 'managed_signing', before: 0n, units });
    due.set(accountId, (due.get(accountId) ?? 0n) + cost);
  }
  const { rows } = await store.db.execute(
    sql`select account_id, balance from ledger_accounts where kind = 'revenue' and balance <> 0`,
  );
  const charged = rows.map(({ account_id, balance }) => [String(account_id), BigInt(String(balance))]);
  expect(new Map(charged as [string, bigint][])).toEqual(new Map([...due].filter(([, cost]) => cost > 0n)));
}

async function faults({ db }: Store): Promise<readonly unknown[]> {
  const { rows } = await db.execute(sql`
    select 'books do not sum to zero' as fault, account_id::text as at from ledger_accounts group by account_id having sum(balance) <> 0
    union all
    select 'transaction does not sum to zero', transaction_id::text from ledger_entries group by transaction_id having sum(amount) <> 0
    union all
    select 'below its floor', account_id::text from ledger_accounts where balance < floor
    union all
    select 'balance is not the sum of its entries', l.account_id::text || ' ' || l.kind from ledger_accounts l
      where balance <> (select coalesce(sum(amount), 0) from ledger_entries e where e.account_id = l.account_id and e.kind = l.kind)
    union all
    select 'set aside, but not for work that is open', l.account_id::text from ledger_accounts l
      where kind = 'reserved' and balance <> (
        select coalesce(sum(amount - charged), 0) from reservations r where r.account_id = l.account_id and closed_at is null)
    union all
    select 'charged otherwise than the entries say', r.id::text from reservations r
      where charged <> (
        select coalesce(sum(e.amount), 0) from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        where t.reservation_id = r.id and e.kind = 'revenue')`);
  return rows;
}
