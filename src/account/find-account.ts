import type { Store } from '../store/open-store.ts';
import { accounts } from '../store/tables.ts';
import { serviceError } from '../base/service-error.ts';
import { isCalled } from './accounts.ts';
import { DEVELOPMENT } from './development-name.ts';

/** The id of the account of this name, of the development account too. @throws ServiceError `accountNotFound`. */
export async function findAccount(store: Pick<Store, 'db'>, name: string): Promise<string> {
  const [row] = await store.db.select({ id: accounts.id }).from(accounts).where(isCalled(name));
  if (row === undefined) throw serviceError('accountNotFound', { name });
  return row.id;
}

/** The names of all accounts by their ids. */
export async function readAccountNames(store: Pick<Store, 'db'>): Promise<ReadonlyMap<string, string>> {
  const rows = await store.db.select({ id: accounts.id, name: accounts.name }).from(accounts);
  return new Map(rows.map(({ id, name }) => [id, name ?? DEVELOPMENT]));
}
