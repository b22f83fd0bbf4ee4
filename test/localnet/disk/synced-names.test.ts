import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { useNewDirectory } from '../../support/new-directory.ts';
import { keptLedger } from './kept-ledger.ts';

const [open, sync, rename] = [fs.openSync, fs.fsyncSync, fs.renameSync];
const paths = new Map<number, string>();
/** The syncs and renames, in order. The exports of `node:fs` are replaced where they are imported by name, too. */
const done: string[] = [];
vi.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
  const file = open(path, flags, mode);
  paths.set(file, String(path));
  return file;
});
vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
  sync(file);
  done.push(`sync ${paths.get(file)}`);
});
vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
  rename(from, to);
  done.push(`rename ${String(to)}`);
});
syncBuiltinESMExports();

const directory = useNewDirectory();

test('the names of the files of a branch, and its own, are synced before the manifest names it', async () => {
  const { ledger, kill } = await keptLedger(directory());
  const state = ledger.take();
  done.length = 0;
  ledger.goTo(state);
  const branch = join(directory(), 'branch-1');
  const named = done.indexOf(`rename ${join(directory(), 'ledger.json')}`);
  const places = [/\/slots-\d+\.log$/, new RegExp(`^sync ${branch}$`), new RegExp(`^sync ${directory()}$`)];
  const [files = -1, branchSynced = -1, parentSynced = -1] = places.map((place) =>
    done.findLastIndex((each, index) => index < named && place.test(each)),
  );
  expect(files).toBeGreaterThanOrEqual(0);
  expect(branchSynced).toBeGreaterThan(files);
  expect(parentSynced).toBeGreaterThan(branchSynced);
  await kill();
});
