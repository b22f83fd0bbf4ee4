import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import { serviceError } from '../../core/service-error.ts';
import { isCalled } from './accounts.ts';
import { DEVELOPMENT } from './account-name.ts';
import { eq } from '../../store/drizzle.ts';
import type { StoreTransaction } from '../../store/transaction.ts';

/** Returns the id of the account with this name, also of the development account. @throws ServiceError `accountNotFound`. */
export async function findAccount(store: Pick<Store, 'db'>, name: string): Promise<string> {
  const [row] = await store.db.select({ id: accounts.id }).from(accounts).where(isCalled(name));
  if (row === undefined) throw serviceError('accountNotFound', { name });
  return row.id;
}

/** Returns the names of all accounts by id. */
export async function readAccountNames(store: Pick<Store, 'db'>): Promise<ReadonlyMap<string, string>> {
  const rows = await store.db.select({ id: accounts.id, name: accounts.name }).from(accounts);
  return new Map(rows.map(({ id, name }) => [id, name ?? DEVELOPMENT]));
}

/** Blocks other changes of an account until the transaction ends. @returns its state; undefined if it does not exist. */
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
