import { randomUUID } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { eq } from '../store/drizzle.ts';
import { accounts } from '../store/tables.ts';
import type { Store } from '../store/open-store.ts';
import { DEVELOPMENT } from './development-name.ts';

/** The condition for the account of this name. */
export function isCalled(name: string): SQL {
  return name === DEVELOPMENT ? eq(accounts.kind, 'development') : eq(accounts.name, name);
}

/** Whether there is an account of this name. */
export async function hasAccount(store: Store, name: string): Promise<boolean> {
  const found = await store.db.select({ id: accounts.id }).from(accounts).where(isCalled(name));
  return found.length > 0;
}

/** The id of the customer account of this name, which is made if there is none. */
export async function ensureAccount(store: Store, name: string, nowMs: number): Promise<string> {
  const row = { id: randomUUID(), kind: 'customer' as const, name, createdAt: new Date(nowMs) };
  await store.db.insert(accounts).values(row).onConflictDoNothing();
  const [found] = await store.db.select({ id: accounts.id }).from(accounts).where(eq(accounts.name, name));
  return found?.id ?? row.id;
}
