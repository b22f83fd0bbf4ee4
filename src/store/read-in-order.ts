import { sql } from './drizzle.ts';
import { createStatement, type Executes } from './statement.ts';

/** Turned off: sorts and everything that needs them; and compilation, which PostgreSQL prefers when something is off. */
const OFF = ['enable_sort', 'enable_bitmapscan', 'jit'];

const configure = createStatement(() => {
  const settings = OFF.map((name) => sql`set_config(${sql.raw(`'${name}'`)}, 'off', true)`);
  return sql`select ${sql.join(settings, sql`, `)}`;
});

/**
 * Makes the following statements of the transaction read rows in the order of an index, for example of a list, and stop at their limit. The
 * embedded store has no statistics: PostgreSQL would expect few rows, read them all and sort them.
 */
export async function readInOrder(db: Executes): Promise<void> {
  await configure(db, {});
}
