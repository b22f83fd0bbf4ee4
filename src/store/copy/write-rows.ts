import pg from 'pg';
import { serviceError } from '../../base/service-error.ts';
import type { CopiedTable } from './read-layout.ts';
import type { RowPage } from './row-page.ts';

/** Adds rows to the tables of a schema that nothing else uses. */
export type RowWriter = {
  /** Removes the rows that migrations have added: they are among the copied ones, as they are now. */
  readonly empty: () => Promise<void>;
  /** @throws ServiceError `copyRefused` when the table has other columns. */
  readonly write: (page: RowPage) => Promise<void>;
  /** Lets new rows be numbered after the copied ones. @returns the number of rows in each table. */
  readonly finish: () => Promise<Readonly<Record<string, number>>>;
};

/**
 * Writes rows as they were read. Triggers rest while a page is written: the parts of one movement of money may lie on two pages. What they
 * enforce is verified afterwards.
 */
export function createRowWriter(
  client: pg.ClientBase,
  {
    schema,
    tables,
    where,
  }: { readonly schema: string; readonly tables: readonly CopiedTable[]; readonly where: string },
): RowWriter {
  const nameOf = ({ name }: CopiedTable): string =>
    `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  const empty = async (): Promise<void> => {
    for (const table of [...tables].reverse()) {
      const { rows } = await client.query(`select 1 from ${nameOf(table)} limit 1`);
      if (rows.length > 0) await client.query(`delete from ${nameOf(table)}`);
    }
  };
  const write = async ({ table: name, columns, rows }: RowPage): Promise<void> => {
    const table = tables.find((one) => one.name === name);
    const known = table?.columns.map((column) => column.name) ?? [];
    if (table === undefined || !hasSame(columns, known))
      throw serviceError('copyRefused', {
        where,
        reason: `its table ${name} has the columns ${columns.join(', ')}, and this version has ${known.join(', ') || 'no such table'}`,
      });
    if (rows.length === 0) return;
    const lists = columns.map((_, at) => rows.map((row) => row[at] ?? null));
    await client.query('begin');
    await client.query(`alter table ${nameOf(table)} disable trigger user`);
    await client.query(insertInto(nameOf(table), table, columns), lists);
    await client.query(`alter table ${nameOf(table)} enable trigger user`);
    await client.query('commit');
  };
  const finish = async (): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      for (const { name: column } of table.columns.filter(({ isIdentity }) => isIdentity))
        await client.query(
          `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${pg.escapeIdentifier(column)}), 0) + 1, false) from ${nameOf(table)}`,
          [nameOf(table), column],
        );
      const { rows } = await client.query<{ count: string }>(
        `select count(*) as count from ${nameOf(table)}`,
      );
      counts[table.name] = Number(rows[0]?.count);
    }
    return counts;
  };
  return { empty, write, finish };
}

function insertInto(name: string, table: CopiedTable, columns: readonly string[]): string {
  const typeOf = (column: string) => table.columns.find((one) => one.name === column)?.type ?? 'text';
  const targets = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  const values = columns.map((column, at) => `c${at}::${typeOf(column)}`).join(', ');
  const lists = columns.map((_, at) => `$${at + 1}::text[]`).join(', ');
  const names = columns.map((_, at) => `c${at}`).join(', ');
  return `insert into ${name} (${targets}) overriding system value select ${values} from unnest(${lists}) as copied (${names})`;
}

const hasSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one));
