import { chmodSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeEmptyStore } from '../../src/store/make-empty-store.ts';

const emptyStore = await makeEmptyStore();

/**
 * Puts an embedded store as `openStore` makes it into a data directory that has none, without the time that it takes to see it on the
 * disk. For tests that are about something else.
 */
export function prepareStore(dataDir: string): void {
  const target = join(dataDir, 'store');
  if (existsSync(target)) return;
  // Several times as fast as the asynchronous one.
  cpSync(emptyStore, target, { recursive: true });
  chmodSync(target, 0o700);
  chmodSync(dataDir, 0o700);
}
