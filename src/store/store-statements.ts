import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgTransactionConfig } from 'drizzle-orm/pg-core';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { Semaphore } from '../rpc/semaphore.ts';
import { DEADLINES } from './deadlines.ts';
import { drizzle } from './drizzle.ts';
import { type BeginTogether, sendTogether } from './together.ts';
import { runTransaction, type StoreTransaction } from './transaction.ts';

/** The ways to run statements. */
export type StoreStatements = {
  /** One query layer over both kinds. */
  readonly db: Omit<NodePgDatabase, 'transaction'>;
  /**
   * Runs a transaction (see `runTransaction`). The embedded store has a single connection: in `work` use its argument only, a query on `db`
   * would wait for the transaction and end in its deadline.
   */
  readonly transaction: <T>(
    work: (tx: StoreTransaction) => Promise<T>,
    config?: PgTransactionConfig,
  ) => Promise<T>;
  /** Runs statements in one round trip (see `sendTogether`). Not inside a transaction. */
  together<T extends readonly unknown[]>(begin: BeginTogether<T>): Promise<T>;
};

/** Runs statements on the connections of a pool. */
export function statementsOn(pool: pg.Pool): StoreStatements {
  return {
    db: drizzle(pool),
    transaction: (work, config) => runTransaction(pool, work, config),
    together: (begin) => sendTogether(pool, begin),
  };
}

/** Most accounts whose turns are remembered. One that is forgotten begins with no statement in progress. */
const MAX_ACCOUNTS = 1_000;

/** The statements of each account on a share of the connections, as `onShare`. */
export function onShareOfAccount(pool: pg.Pool, connections: number): (accountId: string) => StoreStatements {
  const known = new LRUCache<string, StoreStatements>({ max: MAX_ACCOUNTS });
  return (accountId) => {
    const statements = known.get(accountId) ?? onShare(pool, connections);
    known.set(accountId, statements);
    return statements;
  };
}

/**
 * As `statementsOn`, but at most `connections` at a time have a connection or wait for one in the pool, whose queue is first come, first
 * served: whoever comes to it directly finds no more of them in front, and they still get their turn. The others wait here; one that has
 * waited longer than a connection may take rejects when its turn comes.
 */
export function onShare(pool: pg.Pool, connections: number): StoreStatements {
  const semaphore = new Semaphore(connections);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    return semaphore.withPermit(() => {
      if (performance.now() - beganMs < DEADLINES.connectMs) return work();
      throw new Error(`no connection was free for ${DEADLINES.connectMs} ms`);
    });
  };
  // Drizzle calls nothing else of a pool outside transactions, which `Store.db` has not.
  const client = {
    query: (config: pg.QueryConfig, values: unknown[]) => inTurn(() => pool.query(config, values)),
  };
  return {
    db: drizzle(client as unknown as pg.Pool),
    transaction: (work, config) => inTurn(() => runTransaction(pool, work, config)),
    together: (begin) => inTurn(() => sendTogether(pool, begin)),
  };
}
