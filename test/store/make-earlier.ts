import { readFileSync } from 'node:fs';
import { sql } from '../../src/store/drizzle.ts';
import { openStore, type StoreOptions } from '../../src/store/open-store.ts';
import { SILENT } from './backends.ts';

const FOLDER = new URL('../../src/store/migrations/', import.meta.url);

type Entry = { readonly idx: number; readonly tag: string; readonly when: number };

const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', FOLDER), 'utf8')) as {
  readonly entries: readonly Entry[];
};

/** Makes a store as the migrations before one left it, with rows that its version wrote. */
export async function makeEarlier(
  place: StoreOptions,
  { before, rows }: { readonly before: string; readonly rows: readonly string[] },
): Promise<void> {
  const { schema = '' } = place;
  const at = entries.findIndex(({ tag }) => tag === before);
  if (at < 0) throw new Error(`there is no migration ${before}`);
  const applied = entries.slice(0, at);
  const store = await openStore({ ...place, schema: `${schema}_other` }, SILENT);
  await store.transaction(async (tx) => {
    // A prepared embedded store has the usual one.
    await tx.execute(sql.raw(`drop schema if exists ${schema} cascade`));
    await tx.execute(sql.raw(`create schema ${schema}`));
    await tx.execute(sql.raw(`set local search_path to ${schema}`));
    await tx.execute(
      sql`create table migrations (id serial primary key, hash text not null, created_at bigint)`,
    );
    for (const { tag, when } of applied) {
      const statements = readFileSync(new URL(`${tag}.sql`, FOLDER), 'utf8').split(
        '--> statement-breakpoint',
      );
      for (const statement of statements) await tx.execute(sql.raw(statement));
      await tx.execute(sql`insert into migrations (hash, created_at) values (${tag}, ${when})`);
    }
    for (const row of rows) await tx.execute(sql.raw(row));
    await tx.execute(sql.raw(`drop schema ${schema}_other cascade`));
  });
  await store.close();
}
