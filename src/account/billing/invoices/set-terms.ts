import { printUsd } from '../../../../runtime/micro-usd.ts';
import { serviceError } from '../../../core/service-error.ts';
import { monthsLater } from '../../../core/utc-month.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { countingMonth, type LockedBooks, lockBooks, setCreditLimit } from '../books/books.ts';
import { type BillingTerms, readTerms, writeTerms } from './terms.ts';
import type { SQL } from 'drizzle-orm';
import { sql } from '../../../store/drizzle.ts';
import { accounts } from '../../../store/tables.ts';

export type NewTerms = Pick<BillingTerms, 'mode' | 'creditLimit'> & {
  readonly accountId: string;
  readonly nowMs: number;
};

/**
 * Sets how an account pays, from the current month on. In the mode `by_volume` it stays as it is until `requireInvoicing` or `reviewTerms`
 * changes that.
 *
 * @param terms `creditLimit` in micro-USD, more than 0 for the mode `invoiced`.
 * @throws ServiceError `accountOwes` when the account owes more than the new terms allow; nothing changes.
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

/**
 * True for rows of `accounts` that are known to have been charged more than the invoice threshold in a month, and pay from their balance
 * because they have no credit limit.
 */
export function needsCreditLimit(month: string): SQL<boolean> {
  return sql<boolean>`exists (
      select from threshold_crossings t where t.account_id = ${accounts.id} and t.month = ${month}
    ) and not exists (
      select from billing_terms b where b.account_id = ${accounts.id} and (b.mode <> 'by_volume' or b.credit_limit > 0)
    )`;
}
