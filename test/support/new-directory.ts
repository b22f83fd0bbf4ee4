import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

/** The owner of something: each test, or all tests of a file or a `describe` together. */
export type SharedBy = 'test' | 'group';

/** The hooks before and after a test or a group of tests. */
export const hooksOf = (sharedBy: SharedBy) =>
  sharedBy === 'test' ? { before: beforeEach, after: afterEach } : { before: beforeAll, after: afterAll };

/** A new directory for each test of a file, or for a group of them, removed after it. */
export function useNewDirectory(sharedBy: SharedBy = 'test'): () => string {
  const { before, after } = hooksOf(sharedBy);
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keyslot-test-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));
  return () => directory;
}
