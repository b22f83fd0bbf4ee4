import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Semaphore } from '../core/rpc/semaphore.ts';
import { DEADLINES } from './deadlines.ts';
import { drizzle } from './drizzle.ts';
import { type BeginBatch, runTransaction, sendBatched, type StoreTransaction } from './transaction.ts';

/** The ways to run statements. */
export type StoreStatements = {
  /** One query layer over both kinds of store. */
  readonly db: Omit<NodePgDatabase, 'transaction'>;
  /**
   * Runs a transaction (see `runTransaction`). The embedded store has a single connection: use only the argument in `work`, since a query
   * on `db` would wait for the transaction until its deadline.
   */
  readonly transaction: <T>(work: (tx: StoreTransaction) => Promise<T>) => Promise<T>;
  /** Runs statements in one round trip (see `sendBatched`). Not inside a transaction. */
  batched<T extends readonly unknown[]>(begin: BeginBatch<T>): Promise<T>;
};

/** Runs statements on the connections of a pool. */
export function statementsOn(pool: pg.Pool): StoreStatements {
  return {
    db: drizzle(pool),
    transaction: (work) => runTransaction(pool, work),
    batched: (begin) => sendBatched(pool, begin),
  };
}

/** Maximum number of accounts whose turns are remembered. A forgotten account starts without statements in progress. */
const MAX_ACCOUNTS = 1_000;

/** Returns a function that gives the statements of an account: the same ones each time, while they are remembered. */
export function ofEachAccount(
  create: (accountId: string) => StoreStatements,
): (accountId: string) => StoreStatements {
  const known = new LRUCache<string, StoreStatements>({ max: MAX_ACCOUNTS });
  return (accountId) => {
    const statements = known.get(accountId) ?? create(accountId);
    known.set(accountId, statements);
    return statements;
  };
}

/**
 * Like `statementsOn`, but limited to the permits of `share`: only that many statements use a connection or queue for one in the pool,
 * which is first come, first served. Callers that use the pool directly find no more of them ahead. The others wait here; one that waited
 * longer than the connection deadline rejects at its turn.
 *
 * @param accountId accounts take turns.
 */
export function onShare(pool: pg.Pool, share: Semaphore, accountId?: string): StoreStatements {
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    return share.withPermit(() => {
      if (performance.now() - beganMs < DEADLINES.connectMs) return work();
      throw new Error(`no free connection within ${DEADLINES.connectMs} ms`);
    }, accountId);
  };
  // Drizzle calls nothing else of a pool outside transactions, which `Store.db` has not.
  const client = {
    query: (config: pg.QueryConfig, values: unknown[]) => inTurn(() => pool.query(config, values)),
  };
  return {
    db: drizzle(client as unknown as pg.Pool),
    transaction: (work) => inTurn(() => runTransaction(pool, work)),
    batched: (begin) => inTurn(() => sendBatched(pool, begin)),
  };
}
