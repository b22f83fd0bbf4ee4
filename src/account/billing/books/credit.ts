import { and, eq, sql } from '../../../store/drizzle.ts';
import { ledgerEntries, ledgerTransactions } from '../../../store/money-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { serviceError } from '../../../core/service-error.ts';
import { type LockedBooks, lockBooks, postMoney, setFloor } from './books.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';

/** One-time credit of a development account: 1,000 USD. */
const TEST_CREDIT = 1_000_000_000n;

export type Credit = {
  readonly accountId: string;
  /** Micro-USD. Negative: takes back an erroneous credit. */
  readonly amount: bigint;
  readonly note: string | undefined;
  /** The operator's name for it. */
  readonly reference?: string | undefined;
  readonly nowMs: number;
};

/**
 * Adds to the amount an account may spend, or subtracts from it.
 *
 * @throws ServiceError `creditNotAvailable` when less is available than is to be taken back, unless the account may owe it because it is
 *   on invoices; nothing changes then.
 */
export async function credit(
  tx: StoreTransaction,
  { accountId, amount, note, reference, nowMs }: Credit,
): Promise<void> {
  const books = await lockBooks(tx, accountId);
  const left = books.available + amount;
  if (amount < 0n) {
    await assertCanBeTakenBack(tx, books, -amount);
    if (left < books.floor) await setFloor(tx, books, left);
  }
  const parts = { available: amount, funding: -amount };
  await postMoney(tx, books, { kind: 'credit', note, reference, nowMs, parts });
}

/**
 * An account may owe up to its credit limit, or the amount of its invoices; but never more than is or will be invoiced. Deposits pay the
 * oldest charges first: the part that paid for a month without an invoice, or for months before it, cannot be taken back.
 */
async function assertCanBeTakenBack(tx: StoreTransaction, books: LockedBooks, amount: bigint): Promise<void> {
  const { hasInvoices, most } = await readInvoiced(tx, books);
  const within = books.available - books.floor;
  const available = hasInvoices || most < within ? most : within;
  if (amount <= available) return;
  const availableUsd = printUsd(available > 0n ? available : 0n);
  throw serviceError('creditNotAvailable', { amountUsd: printUsd(amount), availableUsd });
}

/**
 * `most`: the amount that can be taken back before the debt exceeds the invoices after the last month without one, and those to come. If
 * there is no such month, all deposits: charges from before months were closed here are on invoices elsewhere.
 */
async function readInvoiced(
  tx: StoreTransaction,
  { accountId }: LockedBooks,
): Promise<{ readonly hasInvoices: boolean; readonly most: bigint }> {
  const { rows } = await tx.execute<{ readonly has_invoices: boolean; readonly most: string }>(sql`
    select
      exists (select from invoices where account_id = ${accountId}) as has_invoices,
      case when paid.month is null then
        coalesce((select -l.balance from ledger_accounts l where l.account_id = ${accountId} and l.kind = 'funding'), 0)
      else
        (select coalesce(sum(l.balance), 0) from ledger_accounts l
          where l.account_id = ${accountId} and l.kind in ('available', 'reserved'))
        + (select coalesce(sum(o.amount), 0) from operation_counts o where o.account_id = ${accountId} and not o.is_closed)
        + (select coalesce(sum(i.total - (select coalesce(sum(c.amount), 0) from credit_notes c where c.invoice_number = i.number)), 0)
          from invoices i where i.account_id = ${accountId} and i.month > paid.month)
      end as most
    from (
      select max(m.month) as month from closed_months m
      where m.account_id = ${accountId} and m.charged > m.service_credit
        and not exists (select from invoices o where o.account_id = m.account_id and o.month = m.month)
    ) paid`);
  const [row] = rows;
  return { hasInvoices: row?.has_invoices === true, most: BigInt(row?.most ?? 0) };
}

/**
 * As `credit`, unless the account has a credit with the same reference and amount already.
 *
 * @returns false if it has.
 * @throws ServiceError also `creditReferenceUsed`, when the reference belongs to another amount; nothing changes then.
 */
export async function creditOnce(
  tx: StoreTransaction,
  wanted: Credit & { readonly reference: string },
): Promise<boolean> {
  const books = await lockBooks(tx, wanted.accountId);
  if (await isBooked(tx, books, wanted)) return false;
  await credit(tx, wanted);
  return true;
}

/** The books are locked, so no other process books the reference meanwhile. */
async function isBooked(
  tx: StoreTransaction,
  { accountId }: LockedBooks,
  { reference, amount }: Pick<Credit, 'amount'> & { readonly reference: string },
): Promise<boolean> {
  const [booked] = await tx
    .select({ amount: ledgerEntries.amount })
    .from(ledgerTransactions)
    .innerJoin(ledgerEntries, eq(ledgerEntries.transactionId, ledgerTransactions.id))
    .where(
      and(
        ...[eq(ledgerTransactions.accountId, accountId), eq(ledgerTransactions.reference, reference)],
        eq(ledgerEntries.kind, 'available'),
      ),
    );
  if (booked === undefined) return false;
  if (booked.amount === amount) return true;
  throw serviceError('creditReferenceUsed', { reference, amountUsd: printUsd(booked.amount) });
}

/** Credits an account with 1,000 USD for testing, once. */
export async function ensureTestCredit(store: Store, accountId: string, nowMs: number): Promise<void> {
  await store.transaction(async (tx) => {
    const books = await lockBooks(tx, accountId);
    const { accountId: owner, kind } = ledgerTransactions;
    const given = await tx
      .select({ id: ledgerTransactions.id })
      .from(ledgerTransactions)
      .where(and(eq(owner, accountId), eq(kind, 'test_credit')));
    if (given.length > 0) return;
    const parts = { available: TEST_CREDIT, funding: -TEST_CREDIT };
    await postMoney(tx, books, { kind: 'test_credit', note: 'test credit', nowMs, parts });
  });
}
