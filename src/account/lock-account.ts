import { eq } from '../store/drizzle.ts';
import { accounts } from '../store/tables.ts';
import type { StoreTransaction } from '../store/transaction.ts';

/** Holds up other changes of an account until the transaction ends. @returns what it is; undefined: there is none. */
export async function lockAccount(
  tx: StoreTransaction,
  accountId: string,
): Promise<{ readonly operates: boolean } | undefined> {
  const [account] = await tx
    .select({ operates: accounts.operates })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update');
  return account;
}
