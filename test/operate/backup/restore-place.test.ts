import { chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeRestorePlace } from '../../../src/operate/backup/restore-place.ts';
import { enterGatewayUser } from '../../../src/serve/start-users.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { SILENT } from '../../store/backends.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { NOBODY } from '../../support/run-as.ts';

const directory = useNewDirectory();
const isRoot = process.geteuid?.() === 0;

const newDataDirectory = (): string => {
  const path = join(directory(), 'data');
  mkdirSync(path, { mode: 0o755 });
  return path;
};
/** Writes what a restore does. */
const fill = (draft: string): void => {
  mkdirSync(join(draft, 'signer'), { mode: 0o700 });
  writeFileSync(join(draft, 'signer', 'master.key'), 'x', { mode: 0o600 });
  writeFileSync(join(draft, 'dev.json'), '{}', { mode: 0o600 });
};

test('a directory that exists is written to from within, as a mount point has to be, and is closed to others', async () => {
  const dataDir = newDataDirectory();
  const place = await takeRestorePlace(dataDir, undefined);
  expect(place.draft).toBe(join(dataDir, '.restoring'));
  expect(statSync(place.draft).dev).toBe(statSync(dataDir).dev);
  fill(place.draft);
  await place.assertFree();
  await place.publish();
  expect(readdirSync(dataDir).sort()).toEqual(['dev.json', 'signer']);
  expect(readdirSync(join(dataDir, 'signer'))).toEqual(['master.key']);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory())).toEqual(['data']);
});

test('one that does not exist gets its name in one step', async () => {
  const dataDir = join(directory(), 'parent', 'data');
  const place = await takeRestorePlace(dataDir, undefined);
  fill(place.draft);
  expect(existsSync(dataDir)).toBe(false);
  await place.publish();
  expect(readdirSync(dataDir).sort()).toEqual(['dev.json', 'signer']);
  expect(readdirSync(join(directory(), 'parent'))).toEqual(['data']);
});

test('what comes into the directory meanwhile is not overwritten', async () => {
  const dataDir = newDataDirectory();
  const place = await takeRestorePlace(dataDir, undefined);
  writeFileSync(join(dataDir, 'dev.json'), 'mine');
  await expect(place.assertFree()).rejects.toMatchObject({ code: 'copyRefused' });
  await place.discard();
  expect(readdirSync(dataDir)).toEqual(['dev.json']);
});

test('a draft that a killed restore left is removed by the next one; no server starts next to it', async () => {
  const dataDir = newDataDirectory();
  fill((await takeRestorePlace(dataDir, undefined)).draft);
  const refused = { code: 'copyRefused', message: expect.stringContaining('run keyslot restore again') };
  await expect(openStore({ dataDir }, SILENT)).rejects.toMatchObject(refused);
  await expect(enterGatewayUser({ data_dir: dataDir }, 'serve')).rejects.toMatchObject(refused);
  expect(readdirSync(dataDir)).toEqual(['.restoring']);
  const again = await takeRestorePlace(dataDir, undefined);
  expect(readdirSync(again.draft)).toEqual([]);
  await again.discard();
  expect(readdirSync(dataDir)).toEqual([]);
});

test('a directory into which only a part was moved is neither served nor restored into', async () => {
  const dataDir = newDataDirectory();
  fill((await takeRestorePlace(dataDir, undefined)).draft);
  writeFileSync(join(dataDir, 'installation.key'), 'x', { mode: 0o600 });
  await expect(openStore({ dataDir }, SILENT)).rejects.toMatchObject({ code: 'copyRefused' });
  await expect(takeRestorePlace(dataDir, undefined)).rejects.toMatchObject({
    code: 'copyRefused',
    message: expect.stringMatching(
      /interrupted while it moved its files into place: empty it, and run keyslot restore again/,
    ),
  });
  expect(readdirSync(dataDir).sort()).toEqual(['.restoring', 'installation.key']);
});

test.skipIf(isRoot)('a parent that cannot be written is named, with what to do (not as root)', async () => {
  const parent = join(directory(), 'parent');
  mkdirSync(parent, { mode: 0o500 });
  await expect(takeRestorePlace(join(parent, 'data'), undefined)).rejects.toMatchObject({
    code: 'copyRefused',
    message: expect.stringMatching(
      /data: the data directory does not exist, and user \d+ cannot create it in .*EACCES/,
    ),
  });
});

test('a parent in which nothing can be created is named, with what to do', async () => {
  await expect(takeRestorePlace('/proc/keyslot/data', undefined)).rejects.toMatchObject({
    code: 'copyRefused',
    message: expect.stringMatching(
      /^\/proc\/keyslot\/data: the data directory does not exist, and user \d+ cannot create it in \/proc\/keyslot: create it/,
    ),
  });
});

test.skipIf(!isRoot)(
  'a directory of another user is refused, unless root restores for two: then it is root’s meanwhile (needs root)',
  async () => {
    const dataDir = newDataDirectory();
    chownSync(dataDir, NOBODY, NOBODY);
    await expect(takeRestorePlace(dataDir, undefined)).rejects.toMatchObject({
      code: 'copyRefused',
      message: expect.stringContaining(`it belongs to user ${NOBODY}, but you are user 0`),
    });
    expect(readdirSync(dataDir)).toEqual([]);
    const gateway = { name: 'nobody', uid: NOBODY, gid: NOBODY };
    const place = await takeRestorePlace(dataDir, { gateway });
    fill(place.draft);
    expect([statSync(dataDir).uid, statSync(dataDir).mode & 0o777]).toEqual([0, 0o700]);
    await place.publish();
    expect([statSync(dataDir).uid, readdirSync(dataDir).sort()]).toEqual([NOBODY, ['dev.json', 'signer']]);
  },
);

test('a link in place of the directory is not followed', async () => {
  const dataDir = newDataDirectory();
  const link = join(directory(), 'link');
  symlinkSync(dataDir, link);
  await expect(takeRestorePlace(link, undefined)).rejects.toMatchObject({ code: 'copyRefused' });
  expect(readdirSync(dataDir)).toEqual([]);
});
