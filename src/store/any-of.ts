import type { PgColumn } from 'drizzle-orm/pg-core';
import type { SQL } from 'drizzle-orm';
import { sql } from './drizzle.ts';

/**
 * A column that has one of these values. Unlike `inArray` its text is the same for any number of them: a connection keeps statements prepared
 * by their text, in a bounded number of places.
 */
export function anyOf(column: PgColumn, values: Iterable<string | number>): SQL {
  return sql`${column} = any(${sql.param([...values])}::${sql.raw(column.getSQLType())}[])`;
}
