import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dumpLines } from '../../../src/operate/backup/dump-lines.ts';
import { restoreBackup } from '../../../src/operate/backup/restore-backup.ts';
import { describeRestore } from '../../../src/cli/run-backup.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { SILENT } from '../../store/backends.ts';
import { makeEarlier } from '../../store/make-earlier.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();

/** Copies the installation of one data directory to another one. */
function restore(from: string, to: string) {
  const at = (name: string): string => join(directory(), name);
  const job = {
    store: { dataDir: at(from) },
    headsFile: at('heads'),
    hasKeyApart: false,
    version: '0.0.7',
    atMs: 0,
  };
  return restoreBackup({
    file: 'a.age',
    lines: dumpLines(job, SILENT),
    store: { dataDir: at(to) },
    headsFile: undefined,
    isFilesOnly: false,
    users: undefined,
    log: SILENT,
  });
}

test('a backup of an older version is restored into an embedded store and migrated, which the restore says', async () => {
  await makeEarlier(
    { dataDir: join(directory(), 'older'), schema: 'keyslot' },
    { before: '0013_operators', rows: [] },
  );
  const migrated = await restore('older', 'restored');
  expect(migrated).toMatchObject({ version: '0.0.7', migrated: true });
  expect(describeRestore(migrated)).toContain('migrated from Keyslot 0.0.7');

  const same = await restore('restored', 'again');
  expect(same).toMatchObject({ version: '0.0.7', migrated: false });
  expect(describeRestore(same)).not.toContain('migrated');
  await (await openStore({ dataDir: join(directory(), 'again') }, SILENT)).close();
});
