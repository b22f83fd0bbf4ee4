import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { SILENT } from './backends.ts';

const dataDir = useNewDirectory('test');

test('after a move to PostgreSQL a start without its address makes no empty store next to it', async () => {
  const moved = join(dataDir(), 'store.moved');
  await mkdir(moved);
  await expect(openStore({ dataDir: dataDir() }, SILENT)).rejects.toMatchObject({
    code: 'storeUnavailable',
    context: {
      reason: expect.stringMatching(/was moved to a PostgreSQL.*KEYSLOT_DATABASE_URL.*store\.moved/),
    },
  });
  expect(existsSync(join(dataDir(), 'store'))).toBe(false);

  await rm(moved, { recursive: true });
  await (await openStore({ dataDir: dataDir() }, SILENT)).close();
  expect(existsSync(join(dataDir(), 'store'))).toBe(true);
});
