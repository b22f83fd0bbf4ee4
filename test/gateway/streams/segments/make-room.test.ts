import { writeFileSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepSegments } from '../../../../src/gateway/streams/segments/keep-segments.ts';
import { makeRoom, NoRoom } from '../../../../src/gateway/streams/segments/make-room.ts';
import { newRoot } from './open-segmented.ts';

/** Files of 100 bytes, each of which was written after the one before it, and begins at a later slot. */
async function write(root: string, ...folders: readonly string[]): Promise<void> {
  for (const [at, folder] of folders.entries()) {
    const directory = join(root, folder);
    await mkdir(directory, { recursive: true });
    const path = join(directory, `${String(100 + at).padStart(20, '0')}-0000000${at}.blocks`);
    await writeFile(path, Buffer.alloc(100));
    await utimes(path, 1_000 + at, 1_000 + at);
  }
}
const left = async (root: string) =>
  (await readdir(root, { recursive: true }))
    .filter((name) => name.endsWith('.blocks'))
    .map((name) => name.at(-8))
    .sort();
const much = async (): Promise<number> => 10 ** 12;

test('the oldest files go first, whatever network and ledger they are of, and no more than needed', async () => {
  const root = await newRoot();
  await write(root, 'one/a', 'two/b', 'one/a', 'one/c', 'two/b');
  await makeRoom({ root, maxBytes: 600, readFreeBytes: much }, 100);
  expect(await left(root)).toEqual(['0', '1', '2', '3', '4']);
  await makeRoom({ root, maxBytes: 600, readFreeBytes: much }, 101);
  expect(await left(root)).toEqual(['1', '2', '3', '4']);
  await makeRoom({ root, maxBytes: 350, readFreeBytes: much }, 100);
  expect(await left(root)).toEqual(['3', '4']);
});

test('within a ledger the lowest slots go first, whenever they were written', async () => {
  const root = await newRoot();
  await write(root, 'one/a', 'one/a', 'two/b', 'one/a');
  // The first one was filled later, and the clock was wrong when the last one was written.
  const [filled = '', , , early = ''] = (await readdir(root, { recursive: true }))
    .filter((name) => name.endsWith('.blocks'))
    .sort((one, other) => (one.slice(-8) < other.slice(-8) ? -1 : 1));
  await utimes(join(root, filled), 9_000, 9_000);
  await utimes(join(root, early), 1, 1);
  await makeRoom({ root, maxBytes: 400, readFreeBytes: much }, 100);
  expect(await left(root)).toEqual(['1', '2', '3']);
  await makeRoom({ root, maxBytes: 200, readFreeBytes: much }, 100);
  expect(await left(root)).toEqual(['2']);
});

test('files take at most half of what the disk would have free without them', async () => {
  const root = await newRoot();
  await write(root, 'one/a', 'one/a', 'one/a');
  await makeRoom({ root, maxBytes: 10 ** 6, readFreeBytes: async () => 500 }, 100);
  expect(await left(root)).toEqual(['0', '1', '2']);
  await makeRoom({ root, maxBytes: 10 ** 6, readFreeBytes: async () => 300 }, 100);
  expect(await left(root)).toEqual(['1', '2']);
});

test('where deleting all would not make room, nothing is deleted', async () => {
  const root = await newRoot();
  await write(root, 'one/a');
  await expect(makeRoom({ root, maxBytes: 1_000, readFreeBytes: async () => 100 }, 101)).rejects.toThrow(
    NoRoom,
  );
  expect(await left(root)).toEqual(['0']);
});

test('what is no file of blocks stays', async () => {
  const root = await newRoot();
  await write(root, 'one/a');
  await writeFile(join(root, 'one/a/lock'), Buffer.alloc(100));
  await makeRoom({ root, maxBytes: 100, readFreeBytes: much }, 100);
  expect(await readdir(join(root, 'one/a'))).toEqual(['lock']);
});

test('there are at most 4,096 files with the next one, however small they are', async () => {
  const root = await newRoot();
  const nameOf = (slot: number): string => `${String(slot).padStart(20, '0')}-00000000.blocks`;
  for (let slot = 0; slot < 4_100; slot++) writeFileSync(join(root, nameOf(slot)), '');
  await makeRoom({ root, maxBytes: 10 ** 8, readFreeBytes: async () => 10 ** 12 }, 1);
  expect((await readdir(root)).length).toBe(4_095);
});

test('files give way each minute to what others write to the disk, also while none is written', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const root = await newRoot();
  await write(root, 'one/a', 'two/b', 'one/a');
  const log = { info: () => undefined, warn: () => undefined };
  const segments = keepSegments({
    root,
    maxBytes: 1_000,
    maxBlockBytes: 1_000,
    log,
    readFreeBytes: async () => 0,
  });
  vi.advanceTimersByTime(59_999);
  expect(await left(root)).toEqual(['0', '1', '2']);
  vi.advanceTimersByTime(1);
  await vi.waitFor(async () => expect(await left(root)).toEqual(['2']));
  await segments.close();
  expect(vi.getTimerCount()).toBe(0);
});
