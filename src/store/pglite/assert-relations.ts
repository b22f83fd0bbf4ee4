import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { DamagedStore } from './damaged-store.ts';

const PAGE_BYTES = 8_192;

/** Tables that never lose a row: if their key index has entries, they have rows. */
const GROWING = [
  ...['migrations', 'accounts', 'api_keys', 'access_tokens', 'audit_tips', 'audit_records', 'audit_heads'],
  ...['ledger_accounts', 'ledger_transactions', 'ledger_entries', 'operation_counts'],
];

/** The files of the tables and indexes of a schema; `keys`: the index of a table's primary key. */
const RELATIONS = `
  select c.relname as name, c.relkind::text as kind, pg_relation_filepath(c.oid) as path,
    (select pg_relation_filepath(i.indexrelid) from pg_index i where i.indrelid = c.oid and i.indisprimary) as keys
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'i')`;

type Relation = {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly keys: string | null;
};

/**
 * Asserts that tables and indexes have their files, once the database has started: PostgreSQL takes a page of zeros for a new one, so an
 * overwritten table has no rows and nothing reports it. An index always has a first page, and a table with keys in its index has rows.
 *
 * @throws DamagedStore naming the file that is missing, empty or zeroed.
 */
export async function assertRelations(
  client: pg.ClientBase,
  directory: string,
  schema: string,
): Promise<void> {
  const { rows } = await client.query<Relation>(RELATIONS, [schema]);
  const faults = rows.flatMap((relation) => {
    const fault = faultOf(directory, relation);
    return fault === undefined
      ? []
      : [`the ${relation.kind === 'i' ? 'index' : 'table'} ${relation.name} ${fault}`];
  });
  if (faults.length > 0) throw new DamagedStore(directory, faults.join(', '));
}

function faultOf(directory: string, { name, kind, path, keys }: Relation): string | undefined {
  const sizeBytes = sizeOf(join(directory, path));
  if (sizeBytes === undefined) return `is missing (${path})`;
  const isZero = sizeBytes > 0 && !hasContent(join(directory, path), 0);
  if (kind === 'i')
    return isZero
      ? `begins with zeros (${path})`
      : sizeBytes < PAGE_BYTES
        ? `is cut off (${path})`
        : undefined;
  // A table that got its first page when the machine stopped has a page of zeros too, and no key yet.
  const index = keys === null ? undefined : join(directory, keys);
  if (index === undefined || sizeOf(index) === undefined || !hasContent(index, PAGE_BYTES)) return undefined;
  if (isZero) return `begins with zeros (${path})`;
  return sizeBytes === 0 && GROWING.includes(name) ? `is empty (${path})` : undefined;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** True when the page of a file is not all zeros. */
function hasContent(path: string, at: number): boolean {
  const page = Buffer.alloc(PAGE_BYTES);
  const file = openSync(path, 'r');
  readSync(file, page, 0, PAGE_BYTES, at);
  closeSync(file);
  return page.some((byte) => byte !== 0);
}
