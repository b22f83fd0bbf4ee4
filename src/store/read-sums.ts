import type { SQL } from 'drizzle-orm';
import { sql } from './drizzle.ts';
import type { Store } from './open-store.ts';
import { buildSql, createStatement, type Executes, type StatementResult } from './statement.ts';

/** Turned off: compilation, which takes longer than the sums that PostgreSQL would use it for. */
const configure = createStatement(() => sql`select set_config('jit', 'off', true)`);

/** Reads sums that look up many rows by an index, in one round trip. */
export async function readSums<R extends Record<string, unknown>>(
  { batched }: Pick<Store, 'batched'>,
  query: SQL,
): Promise<readonly R[]> {
  const [, { rows }] = await batched((db) => [configure(db, {}), runQuery(db, query)]);
  return rows as readonly R[];
}

async function runQuery(db: Executes, query: SQL): Promise<StatementResult> {
  return await db.execute(buildSql(query));
}
