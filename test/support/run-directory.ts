import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { dropWorkerSchemas } from './postgres.ts';
import { isThorough } from './tier.ts';

const MEMORY = '/dev/shm';
const PREFIX = 'ks-run-';
/** More than all tests that run at once keep there. */
const WANTED_BYTES = 4 * 1024 ** 3;

/**
 * Gives a run a temporary directory of its own, removed after it: in memory where that has room, since to copy an embedded store
 * of a thousand small files takes a second on a disk. Every project of a run asks for it: they share the first one's. Where it was
 * before is told by KEYSLOT_TEST_DISK (see diskDirectory).
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const before = process.env.TMPDIR;
  if (before !== undefined && basename(before).startsWith(PREFIX)) return undefined;
  const room = await statfs(MEMORY).catch(() => undefined);
  const hasRoom = before === undefined && room !== undefined && room.bavail * room.bsize >= WANTED_BYTES;
  process.env.KEYSLOT_TEST_DISK = tmpdir();
  const directory = await mkdtemp(join(hasRoom ? MEMORY : tmpdir(), PREFIX));
  process.env.TMPDIR = directory;
  process.env.KEYSLOT_TEST_RUN = `keyslot_test_${randomBytes(6).toString('hex')}`;
  return async () => {
    if (isThorough) await dropWorkerSchemas();
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(directory, { recursive: true, force: true });
  };
}
