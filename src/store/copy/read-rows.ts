import pg from 'pg';
import { type CopiedTable, readLayout } from './read-layout.ts';
import type { PrintedValue, RowPage } from './row-page.ts';

/** Rows that are read at a time. */
const PAGE_ROWS = 500;

/** A copy may wait for a slow disk between two pages. */
const IDLE_MS = 600_000;

const SETTINGS = [
  'set local timezone to utc',
  'set local datestyle to iso',
  "set local bytea_output to 'hex'",
  'set local extra_float_digits to 3',
  `set local idle_in_transaction_session_timeout to ${IDLE_MS}`,
];

/**
 * Reads all tables of a schema as they are at one moment, whatever is written meanwhile, page by page. A table comes after those that its rows
 * refer to; one without rows gives an empty page.
 */
export async function* readRows(client: pg.ClientBase, schema: string): AsyncGenerator<RowPage> {
  await client.query('begin isolation level repeatable read read only');
  for (const setting of SETTINGS) await client.query(setting);
  for (const table of await readLayout(client, schema)) yield* readTable(client, schema, table);
  await client.query('commit');
}

async function* readTable(
  client: pg.ClientBase,
  schema: string,
  table: CopiedTable,
): AsyncGenerator<RowPage> {
  const { name } = table;
  const columns = table.columns.map((column) => column.name);
  const printed = columns.map((column) => `${pg.escapeIdentifier(column)}::text`).join(', ');
  const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  await client.query(`declare copied no scroll cursor for select ${printed} from ${from}`);
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query<PrintedValue[]>({
      text: `fetch ${PAGE_ROWS} from copied`,
      rowMode: 'array',
    });
    if (rows.length > 0 || isFirst) yield { table: name, columns, rows };
    if (rows.length < PAGE_ROWS) break;
  }
  await client.query('close copied');
}
