import { setImmediate as turnOver } from 'node:timers/promises';
import type pg from 'pg';
import type { DriverClient } from './driver.ts';
import { Pipeline } from './pipeline.ts';
import type { Executes } from './statement.ts';

/** Begins statements and says what they come to. */
export type BeginTogether<T extends readonly unknown[]> = (db: Executes) => {
  readonly [K in keyof T]: Promise<T[K]>;
};

/**
 * Carries out statements with one way to the store and back, however many they are, in one transaction and in the order in which they
 * are begun: before any of them is answered.
 *
 * @returns what `begin` promises, when all is committed.
 * @throws what `begin` throws or one of its promises rejects with before anything is sent, or what PostgreSQL says of the first statement
 *   that fails: nothing is done then. Where PostgreSQL's answer is late or lost, it is not known whether it was.
 */
export async function sendTogether<T extends readonly unknown[]>(
  pool: pg.Pool,
  begin: BeginTogether<T>,
): Promise<T> {
  const client = (await pool.connect()) as pg.PoolClient & DriverClient;
  const pipeline = new Pipeline(client);
  try {
    const all = Promise.all(begin(pipeline));
    // Whatever fails by itself has done so when this turn of the event loop is over.
    await Promise.race([all, turnOver()]);
    pipeline.send();
    return (await all) as unknown as T;
  } finally {
    client.release(pipeline.isUnderWay);
  }
}
