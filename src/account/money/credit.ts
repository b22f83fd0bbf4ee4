import { and, eq } from '../../store/drizzle.ts';
import { ledgerTransactions } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { serviceError } from '../../base/service-error.ts';
import { lockBooks, post } from './books.ts';
import { printUsd } from './micro-usd.ts';

/** One-time credit of a development account: 1,000 USD. */
const TEST_CREDIT = 1_000_000_000n;

export type Credit = {
  readonly accountId: string;
  /** Micro-USD. Negative: takes back an erroneous credit. */
  readonly amount: bigint;
  readonly note: string | undefined;
  readonly nowMs: number;
};

/**
 * Adds to the amount an account may spend, or subtracts from it.
 * @throws ServiceError `invalidCommand` when less is available than is to be taken back; nothing changes then.
 */
export async function credit(
  tx: StoreTransaction,
  { accountId, amount, note, nowMs }: Credit,
): Promise<void> {
  const books = await lockBooks(tx, accountId);
  const spendable = books.available - books.floor;
  if (spendable + amount < 0n) {
    throw serviceError('invalidCommand', {
      reason: `${printUsd(-amount)} USD cannot be taken back: only ${printUsd(spendable)} USD are available`,
    });
  }
  await post(tx, books, { kind: 'credit', note, nowMs, parts: { available: amount, funding: -amount } });
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
