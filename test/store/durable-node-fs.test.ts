import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { expect, test, vi } from 'vitest';
import { DurableNodeFs, START_PARAMS } from '../../src/store/pglite/durable-node-fs.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { prepareStore } from '../support/prepared-store.ts';

/** Counts the export of `node:fs` where it is imported by name, too. */
const fsyncSync = vi.spyOn(fs, 'fsyncSync');
syncBuiltinESMExports();

const directory = useNewDirectory();

test('every commit is synced to disk before it is acknowledged', async () => {
  prepareStore(directory());
  const pglite = await PGlite.create({
    fs: new DurableNodeFs(join(directory(), 'store')),
    startParams: START_PARAMS,
  });
  await pglite.exec('create table kept (n int)');
  fsyncSync.mockClear();
  for (let n = 1; n <= 5; n += 1) {
    await pglite.query('insert into kept values ($1)', [n]);
    expect(fsyncSync.mock.calls.length).toBeGreaterThanOrEqual(n);
  }
  await pglite.close();
});
