import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgTransactionConfig } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { drizzle } from './drizzle.ts';
import { connectTo } from './store-client.ts';

/** A transaction of the store: everything done through it is committed together, or not at all. */
export type StoreTransaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

/**
 * Runs a transaction on a connection of its own, which returns to the pool if nothing of the transaction is left on it. Drizzle's own keeps
 * a connection for ever whose `begin` fails, and returns one whose `rollback` was not answered.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (tx: StoreTransaction) => Promise<T>,
  config?: PgTransactionConfig,
): Promise<T> {
  const client = await connectTo(pool);
  try {
    return await drizzle(client).transaction(work, config);
  } finally {
    client.release(!client.isAtRest);
  }
}
