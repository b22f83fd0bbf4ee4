import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A new directory for each test of a file, removed after it. */
export function useNewDirectory(): () => string {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keyslot-test-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));
  return () => directory;
}
