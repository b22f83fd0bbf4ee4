import { randomUUID } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { eq } from '../../store/drizzle.ts';
import { accounts } from '../../store/tables.ts';
import type { Store } from '../../store/open-store.ts';
import { DEVELOPMENT } from './account-name.ts';

/** SQL condition that matches the account with this name. */
export function isCalled(name: string): SQL {
  return name === DEVELOPMENT ? eq(accounts.kind, 'development') : eq(accounts.name, name);
}

/** True when an account with this name exists. */
export async function hasAccount(store: Store, name: string): Promise<boolean> {
  const found = await store.db.select({ id: accounts.id }).from(accounts).where(isCalled(name));
  return found.length > 0;
}

/** Returns the id of the customer account with this name, and creates the account if it does not exist. */
export async function ensureAccount(store: Store, name: string, nowMs: number): Promise<string> {
  const row = { id: randomUUID(), kind: 'customer' as const, name, createdAt: new Date(nowMs) };
  await store.db.insert(accounts).values(row).onConflictDoNothing();
  const [found] = await store.db.select({ id: accounts.id }).from(accounts).where(eq(accounts.name, name));
  return found?.id ?? row.id;
}

/** Reads the name of an account, and when it was created. @throws Error if no account has this id. */
export async function readAccount(
  store: Pick<Store, 'db'>,
  accountId: string,
): Promise<{ readonly name: string; readonly createdAt: Date }> {
  const [row] = await store.db.select().from(accounts).where(eq(accounts.id, accountId));
  if (row === undefined) throw new Error('no account has this id');
  return { name: row.name ?? DEVELOPMENT, createdAt: row.createdAt };
}
