import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadInstallationKey } from '../../src/account/sealing/installation-key.ts';
import { ServiceError } from '../../src/core/service-error.ts';
import { openStore } from '../../src/store/open-store.ts';
import { mountSmallDisk, SMALL_DISK_MISSING } from '../support/small-disk.ts';
import { SILENT } from './backends.ts';

const OTHER = 'choose another data directory: --data-dir, KEYSLOT_DATA_DIR';

/** The error texts of the store and of the key of the installation for a directory. */
async function messagesOf(dataDir: string): Promise<readonly string[]> {
  const said: string[] = [];
  for (const open of [() => openStore({ dataDir }, SILENT), () => loadInstallationKey({ dataDir })])
    await open().then(
      () => said.push('opened'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(ServiceError);
        said.push((error as ServiceError).message);
      },
    );
  return said;
}

test.for(['at it', 'below it'])('a read-only disk is told with what to do (%s)', async (at, context) => {
  const disk = mountSmallDisk(4);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const dataDir = join(disk.path, 'data');
  if (at === 'at it') mkdirSync(dataDir);
  execFileSync('mount', ['-o', 'remount,ro', disk.path]);
  const [store, key] = await messagesOf(dataDir);
  expect(store).toMatch(new RegExp(`^embedded store ${dataDir}/store: EROFS: .*`));
  expect(key).toMatch(new RegExp(`^the installation key ${dataDir}/installation.key: EROFS: `));
  for (const message of [store, key])
    expect(message).toContain(`. Mount the file system of the data directory for writing, or ${OTHER}`);
});

test('a full disk is told with what to do', async (context) => {
  const disk = mountSmallDisk(1);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  disk.fill();
  for (const message of await messagesOf(join(disk.path, 'data')))
    expect(message).toContain(`. Free space on the disk of the data directory, or ${OTHER}`);
});

test('a disk with some room, but not for a store, too', async (context) => {
  const disk = mountSmallDisk(2);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const [store] = await messagesOf(join(disk.path, 'data'));
  expect(store).toContain(`. Free space on the disk of the data directory, or ${OTHER}`);
});
