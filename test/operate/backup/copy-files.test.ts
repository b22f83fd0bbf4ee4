import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { expect, test, vi } from 'vitest';
import { createStoreCopier } from '../../../src/operate/admin/copy-store.ts';
import { copyFiles } from '../../../src/store/pglite/copy-files.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();

/** A pool whose only connection notes what is done with it. */
function notingPool(done: string[], whileQueried = (): void => undefined): pg.Pool {
  const client = {
    query: async (text: string) => {
      done.push(text);
      whileQueried();
    },
    release: () => void done.push('released'),
  };
  return { connect: async () => client } as unknown as pg.Pool;
}

test('files are copied while the connection is held, after a checkpoint, for the owner alone', async () => {
  const [from, to] = [join(directory(), 'from'), join(directory(), 'to')];
  mkdirSync(join(from, 'base'), { recursive: true });
  writeFileSync(join(from, 'base', '1'), 'x');
  const done: string[] = [];
  await copyFiles(notingPool(done), from, to);
  expect(done).toEqual(['checkpoint', 'released']);
  expect(existsSync(join(to, 'base', '1'))).toBe(true);
});

test('a copy that takes too long is given up before other statements do, and gives the connection back', async () => {
  const from = join(directory(), 'from');
  mkdirSync(from);
  writeFileSync(join(from, '1'), 'x');
  const done: string[] = [];
  let nowMs = 0;
  const pass = (ms: number) => () => {
    nowMs += ms;
  };
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  try {
    const quickPool = notingPool(done, pass(7_900));
    await expect(copyFiles(quickPool, from, join(directory(), 'to'))).resolves.toBeUndefined();
    const slowPool = notingPool(done, pass(8_100));
    await expect(copyFiles(slowPool, from, join(directory(), 'again'))).rejects.toMatchObject({
      code: 'copyRefused',
      message: expect.stringContaining('cannot be copied within 8 s'),
    });
  } finally {
    vi.restoreAllMocks();
  }
  expect(done.at(-1)).toBe('released');
});

test('one copy is made at a time, and the next one when it is over', async () => {
  const first = Promise.withResolvers<void>();
  const copyFiles = vi.fn(() => first.promise);
  const copy = createStoreCopier({ copyFiles }, '/data');
  const running = copy();
  await expect(copy()).rejects.toMatchObject({ code: 'dataDirectoryLocked' });
  first.resolve();
  expect(await running).toEqual({ copied: true });
  expect(await copy()).toEqual({ copied: true });
  expect(copyFiles.mock.calls).toEqual([['/data/backup/store'], ['/data/backup/store']]);
  await expect(createStoreCopier({ copyFiles: undefined }, '/data')()).rejects.toMatchObject({
    code: 'invalidCommand',
  });
});
