import { and, eq } from '../../store/drizzle.ts';
import { ledgerEntries, ledgerTransactions } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { serviceError } from '../../base/service-error.ts';
import { type LockedBooks, lockBooks, post } from './books.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';

/** One-time credit of a development account: 1,000 USD. */
const TEST_CREDIT = 1_000_000_000n;

export type Credit = {
  readonly accountId: string;
  /** Micro-USD. Negative: takes back an erroneous credit. */
  readonly amount: bigint;
  readonly note: string | undefined;
  /** What the operator calls it. */
  readonly reference?: string | undefined;
  readonly nowMs: number;
};

/**
 * Adds to the amount an account may spend, or subtracts from it.
 * @throws ServiceError `creditNotAvailable` when less is available than is to be taken back; nothing changes then.
 */
export async function credit(
  tx: StoreTransaction,
  { accountId, amount, note, reference, nowMs }: Credit,
): Promise<void> {
  const books = await lockBooks(tx, accountId);
  const spendable = books.available - books.floor;
  if (spendable + amount < 0n) {
    throw serviceError('creditNotAvailable', {
      ...{ amountUsd: printUsd(-amount), availableUsd: printUsd(spendable) },
    });
  }
  const parts = { available: amount, funding: -amount };
  await post(tx, books, { kind: 'credit', note, reference, nowMs, parts });
}

/**
 * As `credit`, unless the account has a credit with the same reference and amount already.
 *
 * @returns false if it has.
 * @throws ServiceError also `creditReferenceUsed`, when the reference is that of another amount; nothing changes then.
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

/** The books are locked: nobody else books the reference meanwhile. */
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
    await post(tx, books, { kind: 'test_credit', note: 'test credit', nowMs, parts });
  });
}
