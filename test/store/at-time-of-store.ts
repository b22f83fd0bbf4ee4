import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';

const UNDO = Symbol('undo');

/** Runs work on a store whose `now()` is a given time, in one transaction, which is undone. */
export async function atTimeOfStore<T>(
  store: Store,
  nowMs: number,
  work: (then: Store) => Promise<T>,
): Promise<T> {
  let result: { readonly value: T } | undefined;
  const undone = store.transaction(async (tx) => {
    const now = `select timestamptz '${new Date(nowMs).toISOString()}'`;
    await tx.execute(sql.raw(`create function now() returns timestamptz language sql as $$ ${now} $$`));
    await tx.execute(sql`select set_config('search_path', current_schema() || ', pg_catalog', true)`);
    result = { value: await work({ ...store, db: tx } as unknown as Store) };
    throw UNDO;
  });
  await undone.catch((error: unknown) => {
    if (error !== UNDO) throw error;
  });
  if (result === undefined) throw new Error('the work was not done');
  return result.value;
}
