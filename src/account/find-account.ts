import type { Store } from '../store/open-store.ts';
import { accounts } from '../store/tables.ts';
import { serviceError } from '../base/service-error.ts';
import { isCalled } from './accounts.ts';
import { DEVELOPMENT } from './development-name.ts';

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
