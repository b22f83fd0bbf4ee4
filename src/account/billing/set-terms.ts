import { printUsd } from '../../../runtime/micro-usd.ts';
import { serviceError } from '../../base/service-error.ts';
import { monthsLater } from '../../base/utc-month.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { countingMonth, type LockedBooks, lockBooks, setCreditLimit } from '../money/books.ts';
import { type BillingTerms, readTerms, writeTerms } from './terms.ts';

export type NewTerms = Pick<BillingTerms, 'mode' | 'creditLimit'> & {
  readonly accountId: string;
  readonly nowMs: number;
};

/**
 * Sets how an account pays, from the current month on. By volume it stays as it is: `crossThreshold` and `reviewTerms` change that.
 *
 * @param terms `creditLimit` in micro-USD, more than 0 for the mode `invoiced`.
 * @throws ServiceError `accountOwes` when the account owes more than it could then; nothing changes.
 */
export async function setTerms(
  tx: StoreTransaction,
  { accountId, mode, creditLimit, nowMs }: NewTerms,
): Promise<void> {
  const books = await lockBooks(tx, accountId);
  const month = countingMonth(books, nowMs);
  const { invoicedSince: since } = await readTerms(tx, accountId);
  const wasInvoiced = since !== undefined;
  const isInvoiced = creditLimit > 0n && (mode === 'invoiced' || (mode === 'by_volume' && wasInvoiced));
  if (isInvoiced || wasInvoiced) await limitCredit(tx, books, isInvoiced ? creditLimit : 0n);
  const invoicedSince = isInvoiced ? (since ?? month) : null;
  const ended = !isInvoiced && wasInvoiced && since < month && { invoicedUntil: monthsLater(month, -1) };
  await writeTerms(tx, accountId, { mode, creditLimit, invoicedSince, below: null, ...ended });
}

async function limitCredit(tx: StoreTransaction, books: LockedBooks, limit: bigint): Promise<void> {
  const { available } = books;
  if (available < -limit) throw serviceError('accountOwes', { owedUsd: printUsd(-available) });
  await setCreditLimit(tx, books, limit);
}
