import type { SQL } from 'drizzle-orm';
import { getTableColumns, sql } from './drizzle.ts';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { StoreTransaction } from './open-store.ts';
import { createStatement, type PlaceOf } from './statement.ts';

type Executes = Pick<StoreTransaction, 'execute'>;
type Columns = Readonly<Record<string, readonly unknown[]>>;

const insertions = new WeakMap<PgTable, (db: Executes, columns: Columns) => Promise<unknown>>();

/**
 * Inserts whole rows, with one array for each column: at half the cost of a statement that has a parameter for each value, and
 * without its limit of 65,535 of them. No column of the table may be an array.
 */
export async function insertRows<T extends PgTable>(
  tx: StoreTransaction,
  table: T,
  rows: readonly T['$inferSelect'][],
): Promise<void> {
  if (rows.length === 0) return;
  const insert = insertions.get(table) ?? createStatement<Columns>((place) => writeInsertion(table, place));
  insertions.set(table, insert);
  await insert(tx, columnsOf(table, rows));
}

/**
 * The same together with a change of another table, in one statement: without it nothing is inserted.
 *
 * @param write writes the change, which returns something of each row that it changes. Its values are not called like columns of the table.
 * @returns what does both, for one row or more; it tells whether anything was changed.
 */
export function createInsertionIfChanged<T extends PgTable, V extends Record<string, unknown>>(
  table: T,
  write: (place: PlaceOf<V>) => SQL,
): (db: Executes, rows: readonly T['$inferSelect'][], values: V) => Promise<boolean> {
  const insert = createStatement<V & Columns>(
    (place) =>
      sql`with changed as (${write(place)}) ${writeInsertion(table, place)} where exists (select from changed)`,
  );
  return async (db, rows, values) => {
    const { rowCount } = await insert(db, { ...columnsOf(table, rows), ...values });
    return rowCount === rows.length;
  };
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
  const insert = createStatement<Columns>(
    (place) =>
      sql`${writeInsertion(table, place)} on conflict (${columns}) do nothing returning ${nameOf(key)}`,
  );
  const { rows: inserted } = await insert(tx, columnsOf(table, rows));
  return new Set(inserted.map((row) => row[key.name]));
}

function writeInsertion(table: PgTable, place: PlaceOf<Columns>): SQL {
  const columns = Object.entries(getTableColumns(table));
  const arrays = columns.map(([member, column]) => sql`${place(member)}${sql.raw(`::${typeOf(column)}[]`)}`);
  const into = sql.raw(columns.map(([, { name }]) => `"${name}"`).join(', '));
  const from = sql.join(arrays, sql`, `);
  return sql`insert into ${table} (${into}) select * from unnest(${from})`;
}

/** What rows have in each column. */
function columnsOf<T extends PgTable>(table: T, rows: readonly T['$inferSelect'][]): Columns {
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(
    columns.map(([member, column]) => [member, rows.map((row) => toDriver(column, row[member]))]),
  );
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
