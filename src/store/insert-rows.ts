import type { SQL } from 'drizzle-orm';
import { getTableColumns, sql } from './drizzle.ts';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { StoreTransaction } from './open-store.ts';

/**
 * Inserts whole rows, with one array for each column: at half the cost of a statement that has a parameter for each value, and
 * without its limit of 65,535 of them. No column of the table may be an array.
 */
export async function insertRows<T extends PgTable>(
  tx: StoreTransaction,
  table: T,
  rows: readonly T['$inferSelect'][],
): Promise<void> {
  if (rows.length > 0) await tx.execute(insertion(table, rows));
}

/**
 * The same together with a change of another table, in one statement: without it nothing is inserted. There must be rows.
 * @returns whether `change`, which returns something of each row that it changes, has changed any.
 */
export async function insertRowsIfChanged<T extends PgTable>(
  db: Pick<StoreTransaction, 'execute'>,
  table: T,
  rows: readonly T['$inferSelect'][],
  change: SQL,
): Promise<boolean> {
  const { rowCount } = await db.execute(
    sql`with changed as (${change}) ${insertion(table, rows)} where exists (select from changed)`,
  );
  return rowCount === rows.length;
}

/**
 * Inserts the rows that no row of the table is like in the columns of `target`.
 * @returns what the inserted rows have in `key`.
 */
export async function insertNewRows<T extends PgTable>(
  tx: StoreTransaction,
  table: T,
  rows: readonly T['$inferSelect'][],
  { target, key }: { readonly target: readonly PgColumn[]; readonly key: PgColumn },
): Promise<ReadonlySet<unknown>> {
  if (rows.length === 0) return new Set();
  const columns = sql.join(target.map(nameOf), sql`, `);
  const { rows: inserted } = await tx.execute(
    sql`${insertion(table, rows)} on conflict (${columns}) do nothing returning ${nameOf(key)}`,
  );
  return new Set(inserted.map((row) => row[key.name]));
}

function insertion<T extends PgTable>(table: T, rows: readonly T['$inferSelect'][]): SQL {
  const columns = Object.entries(getTableColumns(table));
  const arrays = columns.map(([member, column]) => {
    const values = rows.map((row) => toDriver(column, row[member]));
    return sql`${sql.param(values)}${sql.raw(`::${typeOf(column)}[]`)}`;
  });
  const into = sql.raw(columns.map(([, { name }]) => `"${name}"`).join(', '));
  const from = sql.join(arrays, sql`, `);
  return sql`insert into ${table} (${into}) select * from unnest(${from})`;
}

function toDriver(column: PgColumn, value: unknown): unknown {
  return value === null || value === undefined ? null : column.mapToDriverValue(value);
}

/** The type without its precision, which the column itself applies. */
function typeOf(column: PgColumn): string {
  return column.getSQLType().replace(/ ?\(\d+\)/, '');
}

function nameOf({ name }: PgColumn): SQL {
  return sql`${sql.identifier(name)}`;
}
