import { readFileSync } from 'node:fs';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { expect, test } from 'vitest';
import * as tables from '../../src/store/tables.ts';

const FOLDER = new URL('../../src/store/migrations/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

const journal = JSON.parse(read('meta/_journal.json')) as { entries: { idx: number; tag: string }[] };

test('the migrations make the tables that tables.ts describes', async () => {
  const last = journal.entries.at(-1)?.tag.slice(0, 4);
  const applied = JSON.parse(read(`meta/${last}_snapshot.json`)) as ReturnType<typeof generateDrizzleJson>;
  expect(await generateMigration(applied, generateDrizzleJson(tables, applied.id))).toEqual([]);
});

test.each(journal.entries)(
  'migration $tag names no schema: tables lie where the store is opened',
  ({ tag }) => {
    expect(read(`${tag}.sql`)).not.toContain('"public".');
  },
);
