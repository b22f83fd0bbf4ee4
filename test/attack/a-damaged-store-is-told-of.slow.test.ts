import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { cpSync } from 'node:fs';
import { sql } from '../../src/store/drizzle.ts';
import { openStore } from '../../src/store/open-store.ts';
import { apiKeys } from '../../src/store/tables.ts';
import { newCustomer } from '../account/new-customer.ts';
import { SILENT, useDataDir } from '../store/backends.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const original = useDataDir();
const directory = useNewDirectory();
/** Where tables and indexes lie, by their names. */
let paths: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  prepareStore(original());
  const store = await openStore({ dataDir: original() }, SILENT);
  const accountId = await newCustomer(store);
  const own = { id: randomUUID(), accountId, digest: new Uint8Array(32), prefix: 'p', name: 'n' };
  await store.db.insert(apiKeys).values({ ...own, createdAt: new Date() });
  const { rows } = await store.db.execute<{ name: string; path: string }>(
    sql`select relname as name, pg_relation_filepath(oid) as path from pg_class where relkind in ('r', 'i')`,
  );
  paths = Object.fromEntries(rows.map(({ name, path }) => [name, path]));
  await store.close();
});

const zero = (path: string): void => {
  const { size } = statSync(path);
  truncateSync(path, 0);
  truncateSync(path, size);
};
const cut = (path: string): void => truncateSync(path, 0);
const remove = (path: string): void => rmSync(path, { recursive: true });
const zeroAll = (path: string): void => {
  for (const name of readdirSync(path)) if (statSync(join(path, name)).isFile()) zero(join(path, name));
};

test.each([
  ['PG_VERSION', 'is zeroed', zero],
  ['PG_VERSION', 'is gone', remove],
  ['global/pg_control', 'is zeroed', zero],
  ['global/pg_control', 'is cut off', cut],
  ['global/pg_control', 'is gone', remove],
  ['pg_wal', 'is zeroed', zeroAll],
  ['pg_wal', 'is gone', remove],
  ['pg_xact/0000', 'is zeroed', zero],
  ['base', 'is gone', remove],
  ['postgresql.conf', 'is gone', remove],
  ['pg_class', 'is zeroed', zero],
  ['pg_proc', 'is gone', remove],
  ['migrations', 'is zeroed', zero],
  ['accounts', 'is zeroed', zero],
  ['api_keys', 'is cut off', cut],
  ['api_keys', 'is gone', remove],
  ['api_keys_pkey', 'is zeroed', zero],
  ['access_tokens_digest', 'is gone', remove],
])(
  'where %s %s, the start says so and what to do, and makes nothing in its place',
  async (name, _how, damage) => {
    cpSync(join(original(), 'store'), join(directory(), 'store'), { recursive: true });
    const path = join(directory(), 'store', paths[name] ?? name);
    damage(path);
    const before = existsSync(path) && statSync(path).isFile() ? statSync(path).size : undefined;
    const failure: unknown = await openStore({ dataDir: directory() }, SILENT).then(
      (store) => store.close(),
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      code: 'storeUnavailable',
      context: { fault: 'damaged' },
      message: expect.stringMatching(
        /damaged or missing: .*restore the whole data directory from a backup.*move/s,
      ),
    });
    const after = existsSync(path) && statSync(path).isFile() ? statSync(path).size : undefined;
    expect(after).toBe(before);
  },
);

test('an empty directory is filled, and a right that is missing is no damage', async () => {
  const store = await openStore({ dataDir: directory() }, SILENT);
  await store.close();
  rmSync(join(directory(), 'store'), { recursive: true });
  writeFileSync(join(directory(), 'store'), '');
  await expect(openStore({ dataDir: directory() }, SILENT)).rejects.toMatchObject({
    message: expect.not.stringContaining('damaged'),
  });
});
