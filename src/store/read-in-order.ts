import { sql } from './drizzle.ts';
import { createStatement, type Executes } from './statement.ts';

/** Off: sorting, and what would need it; and compilation, which PostgreSQL thinks worth its time where something is off. */
const OFF = ['enable_sort', 'enable_bitmapscan', 'jit'];

const configure = createStatement(() => {
  const settings = OFF.map((name) => sql`set_config(${sql.raw(`'${name}'`)}, 'off', true)`);
  return sql`select ${sql.join(settings, sql`, `)}`;
});

/**
 * Lets the statements behind it in one transaction read rows in the order of an index, of a list for example, and stop at their limit. The
 * embedded store has no statistics: PostgreSQL would expect few rows there, read them all and sort them.
 */
export async function readInOrder(db: Executes): Promise<void> {
  await configure(db, {});
}
