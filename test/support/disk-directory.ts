import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a directory on a disk, for what a test wants as slow and as lasting as it is for users; the others may lie in memory. */
export function diskDirectory(prefix: string): string {
  return mkdtempSync(join(process.env.KEYSLOT_TEST_DISK ?? tmpdir(), prefix));
}
