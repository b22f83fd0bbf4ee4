import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { getTableColumns, sql } from './drizzle.ts';
import { createStatement, type Executes, type PlaceholderOf } from './statement.ts';

/**
 * Returns a function that reads whole rows of a table with a statement that is built once.
 *
 * @param condition writes the condition for the rows.
 */
export function createSelection<T extends PgTable, V extends Record<string, unknown>>(
  table: T,
  condition: (param: PlaceholderOf<V>) => SQL,
): (db: Executes, values: V) => Promise<readonly T['$inferSelect'][]> {
  const columns = Object.values(getTableColumns(table));
  const names = sql.raw(columns.map(({ name }) => `"${name}"`).join(', '));
  const select = createStatement<V>((param) => sql`select ${names} from ${table} where ${condition(param)}`);
  const read = createRowReader(table);
  return async (db, values) => (await select(db, values)).rows.map(read);
}

/** Returns a function that reads a row of a table as the driver gives it. */
export function createRowReader<T extends PgTable>(
  table: T,
): (row: Record<string, unknown>) => T['$inferSelect'] {
  const columns = Object.entries(getTableColumns(table));
  // Assigned one by one, so that all rows have one shape, which engines read and write fastest.
  return (row) => {
    const read: Record<string, unknown> = {};
    for (const [member, column] of columns) {
      const value = row[column.name];
      read[member] = value === null ? null : column.mapFromDriverValue(value);
    }
    return read;
  };
}
