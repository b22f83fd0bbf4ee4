import { readFileSync } from 'node:fs';
import { sql } from '../../src/store/drizzle.ts';
import type { StoreTransaction } from '../../src/store/transaction.ts';

type Table = {
  readonly name: string;
  readonly columns: Readonly<Record<string, { readonly name: string }>>;
  readonly indexes: Readonly<Record<string, { readonly name: string }>>;
};

const FOLDER = new URL('../../src/store/migrations/meta/', import.meta.url);

const tablesAfter = (index: number): readonly Table[] => {
  const file = new URL(`${String(index).padStart(4, '0')}_snapshot.json`, FOLDER);
  return Object.values((JSON.parse(readFileSync(file, 'utf8')) as { tables: Record<string, Table> }).tables);
};

const newest = (): number =>
  (JSON.parse(readFileSync(new URL('_journal.json', FOLDER), 'utf8')) as { entries: readonly unknown[] })
    .entries.length - 1;

/** Takes back what the migrations behind a number made: tables, columns and indexes, whichever those are by now. */
export async function takeBack(tx: StoreTransaction, index: number): Promise<void> {
  const before = new Map(tablesAfter(index).map((table) => [table.name, table]));
  for (const { name, columns, indexes } of tablesAfter(newest())) {
    const was = before.get(name);
    if (was === undefined) {
      await tx.execute(sql.raw(`drop table "${name}" cascade`));
      continue;
    }
    for (const made of Object.keys(indexes).filter((key) => !(key in was.indexes)))
      await tx.execute(sql.raw(`drop index "${made}"`));
    for (const made of Object.keys(columns).filter((key) => !(key in was.columns)))
      await tx.execute(sql.raw(`alter table "${name}" drop column "${made}"`));
  }
  await tx.execute(sql`delete from migrations where id > ${index + 1}`);
}
