import { afterEach, expect, test } from 'vitest';
import { createKeyPool, type KeyPool, type KeyPoolOptions } from '../../../src/core/keys/pool.ts';
import { QUIET } from './quiet-log.ts';
import { readAll } from './read-all.ts';

const createdAt = new Date('2026-01-02T03:04:05.678Z');
const unaborted = new AbortController().signal;
const opened: KeyPool[] = [];
afterEach(() => Promise.all(opened.splice(0).map((pool) => pool.close())));

async function open(options: Partial<KeyPoolOptions> = {}): Promise<KeyPool> {
  const pool = await createKeyPool({ threads: 2, log: QUIET, ...options });
  opened.push(pool);
  return pool;
}

test('a thread that dies breaks the stream with an error, and the pool continues', async () => {
  const pool = await open({ worker: new URL('./workers/dying.ts', import.meta.url) });
  const job = { count: 5000, format: 'jsonl' } as const;
  for (let round = 0; round < 3; round += 1) {
    let read = 0;
    const reading = async (): Promise<void> => {
      for await (const { count } of pool.batch({ ...job, createdAt: new Date('1999-01-01') }, unaborted)) {
        read += count;
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'internalError' });
    expect(read).toBe(256);
    expect(await countOf(pool, { ...job, createdAt }, unaborted)).toBe(5000);
  }
});

test('a death breaks no other stream', async () => {
  const pool = await open({ worker: new URL('./workers/dying.ts', import.meta.url) });
  const job = { count: 3000, format: 'csv' } as const;
  const [broken, whole] = await Promise.allSettled([
    countOf(pool, { ...job, createdAt: new Date('1999-01-01') }, unaborted),
    countOf(pool, { ...job, createdAt }, unaborted),
  ]);
  expect([broken.status, whole]).toEqual(['rejected', { status: 'fulfilled', value: 3000 }]);
});

test.each([{}, { mnemonicWords: 12 }] as const)('nothing is made when randomness fails: %o', async (more) => {
  const pool = await open({ worker: new URL('./workers/no-randomness.ts', import.meta.url) });
  const stream = pool.batch({ count: 10, format: 'jsonl', createdAt, ...more }, unaborted);
  await expect(readAll(stream)).rejects.toMatchObject({ code: 'internalError' });
  await expect(pool.single({ createdAt, ...more }, unaborted)).rejects.toMatchObject({
    code: 'internalError',
  });
});

test('an aborted signal ends the stream with its reason, and the threads are free again', async () => {
  const pool = await open();
  const abort = new AbortController();
  let read = 0;
  const reading = async (): Promise<void> => {
    const job = { count: 10_000, mnemonicWords: 24, format: 'jsonl', createdAt } as const;
    for await (const { count } of pool.batch(job, abort.signal)) {
      read += count;
      abort.abort(new Error('the client left'));
    }
  };
  await expect(reading()).rejects.toThrow('the client left');
  expect(read).toBe(16);
  await pool.single({ createdAt }, unaborted);
});

test('a signal that was aborted before gives nothing', async () => {
  const pool = await open();
  const gone = AbortSignal.abort(new Error('the client left'));
  await expect(pool.single({ createdAt }, gone)).rejects.toThrow('the client left');
  const stream = pool.batch({ count: 1, format: 'csv', createdAt }, gone);
  await expect(readAll(stream)).rejects.toThrow('the client left');
});

test('concurrent streams all move on: a long one does not hold up a short one', async () => {
  const pool = await open({ threads: 1 });
  const abort = new AbortController();
  let longRead = 0;
  const long = async (): Promise<void> => {
    const job = { count: 10_000, mnemonicWords: 12, format: 'jsonl', createdAt } as const;
    for await (const { count } of pool.batch(job, abort.signal)) longRead += count;
  };
  const running = long();
  await pool.single({ mnemonicWords: 12, createdAt }, unaborted);
  expect(longRead).toBeLessThan(100);
  abort.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test('closing ends streams with an error, and nothing is made after it', async () => {
  const pool = await open();
  const stream = pool.batch({ count: 10_000, mnemonicWords: 12, format: 'csv', createdAt }, unaborted);
  const reading = readAll(stream);
  const outcome = expect(reading).rejects.toMatchObject({ code: 'internalError' });
  await pool.single({ createdAt }, unaborted);
  await pool.close();
  await outcome;
  await expect(pool.single({ createdAt }, unaborted)).rejects.toMatchObject({ code: 'internalError' });
});

async function countOf(
  pool: KeyPool,
  job: Parameters<KeyPool['batch']>[0],
  signal: AbortSignal,
): Promise<number> {
  let read = 0;
  for await (const { count } of pool.batch(job, signal)) read += count;
  return read;
}
