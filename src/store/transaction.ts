import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { drizzle } from './drizzle.ts';
import { connectTo } from './store-client.ts';

/**
 * Runs a transaction on a connection of its own, which returns to the pool if nothing of the transaction is left on it. Drizzle's own keeps
 * a connection for ever whose `begin` fails, and returns one whose `rollback` was not answered.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  ...[work, config]: Parameters<NodePgDatabase['transaction']>
): Promise<T> {
  const client = await connectTo(pool);
  try {
    return (await drizzle(client).transaction(work, config)) as T;
  } finally {
    client.release(!client.isAtRest);
  }
}
