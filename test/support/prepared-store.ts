import { cpSync, existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { makeEmptyStore } from '../../src/store/make-empty-store.ts';

/**
 * Puts an embedded store as `openStore` makes it into a data directory, where none is, without the time that it takes to see it on the
 * disk. For tests that are about something else.
 */
export async function prepareStore(dataDir: string): Promise<void> {
  const target = join(dataDir, 'store');
  if (existsSync(target)) return;
  // The synchronous one is several times as fast.
  cpSync(await makeEmptyStore(), target, { recursive: true });
  await chmod(target, 0o700);
  await chmod(dataDir, 0o700);
}
