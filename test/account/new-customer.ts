import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/store/open-store.ts';
import { accounts } from '../../src/store/tables.ts';

export const NOW_MS = Date.UTC(2025, 9, 9, 8, 53, 20);

/** An account that nothing has happened to. */
export async function newCustomer({ db }: Store): Promise<string> {
  const id = randomUUID();
  await db.insert(accounts).values({ id, kind: 'customer', name: id, createdAt: new Date(NOW_MS) });
  return id;
}
