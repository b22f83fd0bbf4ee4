import { eq } from '../../store/drizzle.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { accounts } from '../../store/tables.ts';

/** Returns the name of an account. */
export async function readAccountName(
  db: Pick<StoreTransaction, 'select'>,
  accountId: string,
): Promise<string> {
  const [account] = await db.select({ name: accounts.name }).from(accounts).where(eq(accounts.id, accountId));
  return account?.name ?? DEVELOPMENT;
}

/** Name of the account that the server creates for itself. No customer's account may have it. */
export const DEVELOPMENT = 'development';
