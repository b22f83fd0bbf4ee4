import promises, { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { claimDirectory } from '../../../../src/gateway/streams/segments/claim-directory.ts';
import { newRoot } from './open-segmented.ts';

afterEach(() => vi.useRealTimers());

const OF_ANOTHER_HOST = JSON.stringify({ pid: 1, startedAt: '1', host: 'a-container-that-was-replaced' });

/** Holds up the next one that looks at a file, after it has. */
function holdAfterStat() {
  const [looked, goesOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const { stat } = promises;
  const put = (next: unknown): void => {
    Object.assign(promises, { stat: next });
    syncBuiltinESMExports();
  };
  onTestFinished(() => put(stat));
  put(async (path: string) => {
    put(stat);
    const found = await stat(path);
    looked.resolve(undefined);
    await goesOn.promise;
    return found;
  });
  return { looked: looked.promise, goOn: () => goesOn.resolve(undefined) };
}

/** Lets each read of a file hang until it may continue. */
function holdReads() {
  const goesOn = Promise.withResolvers<undefined>();
  const { readFile } = promises;
  let reads = 0;
  const put = (next: unknown): void => {
    Object.assign(promises, { readFile: next });
    syncBuiltinESMExports();
  };
  onTestFinished(() => put(readFile));
  put(async (path: string, encoding: 'utf8') => {
    reads++;
    await goesOn.promise;
    return await readFile(path, encoding);
  });
  return { reads: () => reads, goOn: () => goesOn.resolve(undefined) };
}

test('one claim at a time; the next one follows when it is released', async () => {
  const directory = join(await newRoot(), 'made');
  const first = await claimDirectory(directory);
  expect(await first?.isHeld()).toBe(true);
  expect(await claimDirectory(directory)).toBeUndefined();
  await first?.release();
  const second = await claimDirectory(directory);
  expect(second).toBeDefined();
  await second?.release();
});

test('a lock of another host is taken over when it was not touched for a minute, not before', async () => {
  const directory = await newRoot();
  const path = join(directory, 'lock');
  await writeFile(path, OF_ANOTHER_HOST);
  expect(await claimDirectory(directory)).toBeUndefined();
  const then = new Date(Date.now() - 61_000);
  await utimes(path, then, then);
  const claim = await claimDirectory(directory);
  expect(claim).toBeDefined();
  expect(await readFile(path, 'utf8')).not.toBe(OF_ANOTHER_HOST);
  await claim?.release();
});

test('of two that judge such a lock at the same time one takes it over', async () => {
  const directory = await newRoot();
  await writeFile(join(directory, 'lock'), OF_ANOTHER_HOST);
  await utimes(join(directory, 'lock'), 1_000, 1_000);
  const { looked, goOn } = holdAfterStat();
  const slow = claimDirectory(directory);
  await looked;
  const first = await claimDirectory(directory);
  goOn();
  expect(await slow).toBeUndefined();
  expect(await readFile(join(directory, 'lock'), 'utf8')).not.toBe(OF_ANOTHER_HOST);
  await first?.release();
  await expect(readFile(join(directory, 'lock'))).rejects.toThrow('ENOENT');
});

test('a claim is touched while nobody asks for it, and given up when that was not possible for long', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const directory = await newRoot();
  const path = join(directory, 'lock');
  const claim = await claimDirectory(directory);
  for (let at = 0; at < 15; at++) {
    vi.advanceTimersByTime(5_000);
    const now = Date.now();
    await vi.waitFor(async () => expect((await stat(path)).mtimeMs).toBeGreaterThan(now - 1));
  }
  expect(await claim?.isHeld()).toBe(true);
  vi.setSystemTime(Date.now() + 40_000);
  expect(await claim?.isHeld()).toBe(false);
  await claim?.release();
  const next = await claimDirectory(directory);
  expect(await next?.isHeld()).toBe(true);
  await next?.release();
});

test('while a disk hangs a claim waits for one call of it, and is held when that returns in time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const claim = await claimDirectory(await newRoot());
  const { reads, goOn } = holdReads();
  vi.advanceTimersByTime(25_000);
  const isHeld = claim?.isHeld();
  expect(reads()).toBe(1);
  goOn();
  expect(await isHeld).toBe(true);
  vi.advanceTimersByTime(5_000);
  expect(reads()).toBe(2);
  await claim?.release();
});
