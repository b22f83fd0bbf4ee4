import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { acquireLock, releaseLock } from '../../src/store/lock-file.ts';
import { processStartedAt } from '../../src/store/process-started-at.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const dataDir = useNewDirectory();
let path = '';
beforeEach(() => {
  path = join(dataDir(), 'lock');
});

const PARENT = { pid: process.ppid, startedAt: processStartedAt(process.ppid), host: hostname() };
/** Above what Linux gives out (proc(5), pid_max: 2^22). */
const NO_PID = 4_194_305;

test('names this process when it asks twice', async () => {
  const lock = await acquireLock(dataDir());
  await expect(acquireLock(dataDir())).rejects.toMatchObject({
    message: `The data directory ${dataDir()} is in use by this process (${process.pid})`,
  });
  await releaseLock(lock);
  await releaseLock(await acquireLock(dataDir()));
  expect(await readdir(dataDir())).toEqual([]);
});

test('is refused while its process lives, and names it', async () => {
  await writeFile(path, JSON.stringify(PARENT));
  await expect(acquireLock(dataDir())).rejects.toMatchObject({
    context: { holder: `process ${process.ppid}` },
  });
});

test('is refused when another host holds it, with the way out', async () => {
  await writeFile(path, JSON.stringify({ ...PARENT, host: 'elsewhere' }));
  await expect(acquireLock(dataDir())).rejects.toMatchObject({
    context: { holder: `process ${process.ppid} on host elsewhere (if it is gone, delete ${path})` },
  });
});

test.each([
  ['its process is gone', JSON.stringify({ ...PARENT, pid: NO_PID })],
  ['its pid went to a later process', JSON.stringify({ ...PARENT, startedAt: '1' })],
  ['it is empty', ''],
  ['it is not a lock', '{"pid":"7"}'],
])('is taken over when %s', async (_case, text) => {
  await writeFile(path, text);
  const lock = await acquireLock(dataDir());
  expect(await readFile(path, 'utf8')).toBe(lock.text);
});

test('goes to one of many that take over a stale one at once', async () => {
  await writeFile(path, JSON.stringify({ ...PARENT, pid: NO_PID }));
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLock(dataDir())));
  const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.text] : []));
  expect(winners).toEqual([await readFile(path, 'utf8')]);
});

test('is taken over from a process that died while it took it over', async () => {
  const [first, second] = [1, 2].map((id) => JSON.stringify({ ...PARENT, pid: NO_PID, id })) as [
    string,
    string,
  ];
  await writeFile(path, first);
  await writeFile(`${path}.${hash('sha256', first).slice(0, 16)}`, second);
  const lock = await acquireLock(dataDir());
  expect(await readFile(path, 'utf8')).toBe(lock.text);
  expect(await readdir(dataDir())).toEqual(['lock']);
});

test('of somebody else is not given back', async () => {
  const lock = await acquireLock(dataDir());
  await writeFile(path, JSON.stringify(PARENT));
  await releaseLock(lock);
  expect(await readFile(path, 'utf8')).toBe(JSON.stringify(PARENT));
});
