import { and, eq } from '../../store/drizzle.ts';
import { ledgerAccounts } from '../../store/money-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { serviceError } from '../../base/service-error.ts';
import { lockBooks } from './books.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';

/**
 * Lets an account go below 0 by its credit limit (micro-USD), to be invoiced; with a limit of 0 it pays from a prepaid balance.
 * @throws ServiceError `invalidCommand` when the account owes more than that; nothing changes then.
 */
export async function setCreditLimit(
  tx: StoreTransaction,
  { accountId, creditLimit }: { readonly accountId: string; readonly creditLimit: bigint },
): Promise<void> {
  const { available } = await lockBooks(tx, accountId);
  if (available < -creditLimit) {
    const owed = printUsd(-available);
    throw serviceError('invalidCommand', {
      reason: `the account owes ${owed} USD: first credit what was paid, or set a credit limit of at least ${owed} USD, which allows no further spending`,
    });
  }
  await tx
    .update(ledgerAccounts)
    .set({ floor: -creditLimit })
    .where(and(eq(ledgerAccounts.accountId, accountId), eq(ledgerAccounts.kind, 'available')));
}
