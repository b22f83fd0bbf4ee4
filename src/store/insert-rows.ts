import type { SQL } from 'drizzle-orm';
import { getTableColumns, sql } from './drizzle.ts';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import {
  type BuiltSql,
  createBuilder,
  createStatement,
  type Defers,
  type Executes,
  type PlaceholderOf,
} from './statement.ts';

type Columns = Readonly<Record<string, readonly unknown[]>>;

const insertions = new WeakMap<PgTable, (columns: Columns) => BuiltSql>();

/** Inserts whole rows before the next statement of a transaction (see `insertionOf`). */
export function insertRows<T extends PgTable>(
  tx: Defers,
  table: T,
  rows: readonly T['$inferSelect'][],
): void {
  if (rows.length > 0) tx.defer(insertionOf(table, rows));
}

/**
 * Returns the statement that inserts whole rows, with one array per column: at half the cost of a statement with a parameter per value, and
 * without its limit of 65,535. No column of the table may be an array.
 */
export function insertionOf<T extends PgTable>(table: T, rows: readonly T['$inferSelect'][]): BuiltSql {
  const build = insertions.get(table) ?? createBuilder<Columns>((param) => writeInsertion(table, param));
  insertions.set(table, build);
  return build(columnsOf(table, rows));
}

/**
 * As `insertRows`, together with a change of another table, in one statement: nothing is inserted without the change.
 *
 * @param write writes the change, with a `returning` clause for each changed row. Its values must not be named like columns of the table.
 * @returns a function that does both, for one or more rows. It resolves to true if anything was changed.
 */
export function createInsertionIfChanged<T extends PgTable, V extends Record<string, unknown>>(
  table: T,
  write: (param: PlaceholderOf<V>) => SQL,
) {
  const change = createStatement<V & Columns>(
    (param) => sql`
      with changed as (${write(param)})
      ${writeInsertion(table, param)} where exists (select from changed)`,
  );
  return async (db: Executes, rows: readonly T['$inferSelect'][], values: V): Promise<boolean> => {
    const { rowCount } = await change(db, { ...columnsOf(table, rows), ...values });
    return rowCount === rows.length;
  };
}

/**
 * Inserts the rows that differ from all rows of the table in the columns of `target`.
 * @returns the values of the inserted rows in `key`.
 */
export async function insertNewRows<T extends PgTable>(
  db: Executes,
  table: T,
  rows: readonly T['$inferSelect'][],
  { target, key }: { readonly target: readonly PgColumn[]; readonly key: PgColumn },
): Promise<ReadonlySet<unknown>> {
  if (rows.length === 0) return new Set();
  const insert = createStatement<Columns>(
    (param) =>
      sql`${writeInsertion(table, param)} on conflict (${namesOf(target)}) do nothing returning ${namesOf([key])}`,
  );
  const { rows: inserted } = await insert(db, columnsOf(table, rows));
  return new Set(inserted.map((row) => row[key.name]));
}

/**
 * Inserts rows; one that equals a row of the table in the columns of `target` changes that row instead.
 *
 * @param set the assignments, in which `excluded` is the row that was to be inserted.
 * @returns the columns `returning` of the rows that were inserted or changed.
 */
export async function upsertRows<T extends PgTable, R extends Record<string, unknown>>(
  db: Executes,
  table: T,
  rows: readonly T['$inferSelect'][],
  { target, set, returning }: Upsert,
): Promise<readonly R[]> {
  if (rows.length === 0) return [];
  const upsert = createStatement<Columns, R>(
    (param) => sql`
      ${writeInsertion(table, param)} on conflict (${namesOf(target)}) do update set ${set} returning ${namesOf(returning)}`,
  );
  return (await upsert(db, columnsOf(table, rows))).rows;
}

type Upsert = {
  readonly target: readonly PgColumn[];
  readonly set: SQL;
  readonly returning: readonly PgColumn[];
};

function writeInsertion(table: PgTable, param: PlaceholderOf<Columns>): SQL {
  const columns = Object.entries(getTableColumns(table));
  const arrays = columns.map(([member, column]) => sql`${param(member)}${sql.raw(`::${typeOf(column)}[]`)}`);
  const into = sql.raw(columns.map(([, { name }]) => `"${name}"`).join(', '));
  const from = sql.join(arrays, sql`, `);
  return sql`insert into ${table} (${into}) select * from unnest(${from})`;
}

/** Returns the values of the rows by column. */
function columnsOf<T extends PgTable>(table: T, rows: readonly T['$inferSelect'][]): Columns {
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(
    columns.map(([member, column]) => [member, rows.map((row) => toDriver(column, row[member]))]),
  );
}

function toDriver(column: PgColumn, value: unknown): unknown {
  return value === null || value === undefined ? null : column.mapToDriverValue(value);
}

/** Returns the type without its precision, which the column itself applies. */
function typeOf(column: PgColumn): string {
  return column.getSQLType().replace(/ ?\(\d+\)/, '');
}

function namesOf(columns: readonly PgColumn[]): SQL {
  const names = columns.map(({ name }) => sql`${sql.identifier(name)}`);
  return sql.join(names, sql`, `);
}
