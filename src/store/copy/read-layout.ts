import type pg from 'pg';

/** A column of a table. */
export type CopiedColumn = {
  readonly name: string;
  /** SQL name of its type. */
  readonly type: string;
  /** True if its values come from a sequence. */
  readonly isIdentity: boolean;
};

/** A table, after those that its rows refer to. */
export type CopiedTable = { readonly name: string; readonly columns: readonly CopiedColumn[] };

/** Written by the migrations themselves. */
const OWN_OF_MIGRATIONS = 'migrations';

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attidentity <> '' as identity
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = $1::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const REFERENCES = `
  select r.relname as from, t.relname as to
  from pg_constraint k join pg_class r on r.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and k.connamespace = $1::regnamespace`;

type ColumnRow = {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly identity: boolean;
};
type ReferenceRow = { readonly from: string; readonly to: string };

/**
 * Reads the tables of a schema, except that of the migrations, each after those that its rows refer to.
 *
 * @throws Error if tables refer to each other in a circle.
 */
export async function readLayout(client: pg.ClientBase, schema: string): Promise<readonly CopiedTable[]> {
  const { rows: columns } = await client.query<ColumnRow>(COLUMNS, [quoted(schema)]);
  const { rows: references } = await client.query<ReferenceRow>(REFERENCES, [quoted(schema)]);
  const found = Map.groupBy(columns, ({ table }) => table);
  found.delete(OWN_OF_MIGRATIONS);
  return inOrder([...found.keys()], references).map((name) => ({
    name,
    columns: (found.get(name) ?? []).map(({ name, type, identity }) => ({
      name,
      type,
      isIdentity: identity,
    })),
  }));
}

function inOrder(names: readonly string[], references: readonly ReferenceRow[]): readonly string[] {
  const sorted: string[] = [];
  let left = [...names];
  while (left.length > 0) {
    const isReady = (name: string): boolean =>
      references.every(({ from, to }) => from !== name || to === name || sorted.includes(to));
    const ready = left.filter(isReady);
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${left.join(', ')}`);
    sorted.push(...ready);
    left = left.filter((name) => !ready.includes(name));
  }
  return sorted;
}

/** Quotes a schema name for `regnamespace`. */
const quoted = (schema: string): string => `"${schema.replaceAll('"', '""')}"`;
