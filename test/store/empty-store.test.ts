import { hash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { makeEmptyStore } from '../../src/store/make-empty-store.ts';
import { sql } from '../../src/store/drizzle.ts';
import { openStore } from '../../src/store/open-store.ts';
import { copyEmptyStore, emptyStorePath, packEmptyStore } from '../../src/store/pglite/empty-store.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();

/** The modes of everything below a directory. */
async function modesBelow(path: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const modes = entries.map(async (entry) => {
    const { mode } = await lstat(join(entry.parentPath, entry.name));
    return `${entry.isDirectory() ? 'directory' : 'file'} ${(mode & 0o777).toString(8)}`;
  });
  return new Set(await Promise.all(modes));
}

/** The digest of each file below a directory, by its path. */
async function readBelow(path: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.map(async (entry): Promise<[string, string]> => {
    const file = join(entry.parentPath, entry.name);
    return [relative(path, file), entry.isFile() ? hash('sha256', await readFile(file)) : 'directory'];
  });
  return new Map((await Promise.all(files)).sort());
}

test('a new data directory gets a copy of the prepared store, for its owner alone', async () => {
  await makeEmptyStore();
  expect(await modesBelow(emptyStorePath())).toEqual(new Set(['directory 755', 'file 644']));
  const store = await openStore({ dataDir: directory() }, pino({ level: 'silent' }));
  onTestFinished(() => store.close());
  const [first] = (await store.db.execute(sql`select count(*)::int as accounts from accounts`)).rows;
  expect(first).toEqual({ accounts: 0 });
  expect(await modesBelow(join(directory(), 'store'))).toEqual(new Set(['directory 700', 'file 600']));
});

test('a package has it as one file, and a copy of that is the same', async () => {
  const prepared = await makeEmptyStore();
  const packed = packEmptyStore(prepared, directory());
  const target = join(directory(), 'store');
  await mkdir(target);
  expect(await copyEmptyStore(target, packed)).toBe(true);
  expect(await readBelow(target)).toEqual(await readBelow(prepared));
  expect(await modesBelow(target)).toEqual(new Set(['directory 700', 'file 600']));
  expect((await lstat(packed)).size).toBeLessThan(6 * 2 ** 20);
  await chmod(packed, 0o666);
  const other = join(directory(), 'other');
  await mkdir(other);
  expect(await copyEmptyStore(other, packed)).toBe(false);
  expect(await readdir(other)).toEqual([]);
});

test('one that another user could have changed is not taken', async () => {
  const source = join(directory(), 'prepared');
  await cp(await makeEmptyStore(), source, { recursive: true });
  const target = join(directory(), 'store');
  await mkdir(target);
  await chmod(source, 0o777);
  expect(await copyEmptyStore(target, source)).toBe(false);
  expect(await readdir(target)).toEqual([]);
  await chmod(source, 0o755);
  expect(await copyEmptyStore(target, source)).toBe(true);
});

test('without one a store is made as before', async () => {
  const target = join(directory(), 'store');
  await mkdir(target);
  expect(await copyEmptyStore(target, join(directory(), 'nowhere'))).toBe(false);
});

test('a copy that a kill left incomplete is made again', async () => {
  const target = join(directory(), 'store');
  await mkdir(target);
  await writeFile(join(target, 'PG_VERSION'), 'half');
  await writeFile(`${target}.unfinished`, '');
  const store = await openStore({ dataDir: directory() }, pino({ level: 'silent' }));
  await store.ping();
  await store.close();
});
