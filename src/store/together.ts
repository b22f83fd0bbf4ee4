import { setImmediate as turnOver } from 'node:timers/promises';
import type pg from 'pg';
import { Pipeline } from './pipeline.ts';
import type { Executes } from './statement.ts';
import { connectTo } from './store-client.ts';

/** Begins statements and returns the promises of their results. */
export type BeginTogether<T extends readonly unknown[]> = (db: Executes) => {
  readonly [K in keyof T]: Promise<T[K]>;
};

/**
 * Runs statements in one round trip to the store, however many they are, in one transaction and in the order in which they begin: before
 * any of them is answered.
 *
 * @returns the results that `begin` promises, when all is committed.
 * @throws an error of `begin`, or a rejection of one of its promises before anything is sent, or PostgreSQL's error for the first
 *   statement that fails: nothing is done then. If PostgreSQL's answer is late or lost, the outcome is unknown.
 */
export async function sendTogether<T extends readonly unknown[]>(
  pool: pg.Pool,
  begin: BeginTogether<T>,
): Promise<T> {
  const client = await connectTo(pool);
  const pipeline = new Pipeline(client);
  try {
    const all = Promise.all(begin(pipeline));
    // Promises that fail by themselves have done so when this turn of the event loop is over.
    await Promise.race([all, turnOver()]);
    pipeline.send();
    return (await all) as unknown as T;
  } finally {
    client.release(pipeline.isUnderWay);
  }
}
