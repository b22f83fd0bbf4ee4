import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { accounts } from '../store/tables.ts';
import type { Store } from '../store/open-store.ts';

/** The id of the customer account of this name, which is made if there is none. */
export async function ensureAccount(store: Store, name: string, nowMs: number): Promise<string> {
  const row = { id: randomUUID(), kind: 'customer' as const, name, createdAt: new Date(nowMs) };
  await store.db.insert(accounts).values(row).onConflictDoNothing();
  const [found] = await store.db.select({ id: accounts.id }).from(accounts).where(eq(accounts.name, name));
  return found?.id ?? row.id;
}
