import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadInstallationKey } from '../../../src/account/sealing/installation-key.ts';
import { enrolTwoFactor } from '../../../src/account/identity/two-factor/two-factor.ts';
import { checkInstallationKey } from '../../../src/operate/doctor/checks/installation-key.ts';
import type { Finding } from '../../../src/operate/doctor/finding.ts';
import { openCopySource } from '../../../src/store/copy/copy-source.ts';
import { openStore, type StoreOptions } from '../../../src/store/open-store.ts';
import { newCustomer, NOW_MS } from '../../account/new-customer.ts';
import { describeStores, SILENT } from '../../store/backends.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();
const newKey = (name: string): string => {
  const path = join(directory(), name);
  writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600 });
  return path;
};

async function enrol(place: StoreOptions, file: string): Promise<void> {
  const store = await openStore(place, SILENT);
  const installationKey = await loadInstallationKey({ dataDir: directory(), file });
  const accountId = await newCustomer(store);
  await enrolTwoFactor({ store, installationKey }, { accountId, account: 'acme' }, NOW_MS);
  await store.close();
}

async function examined(place: StoreOptions, file?: string): Promise<Finding> {
  const source = await openCopySource(place, SILENT);
  try {
    return await checkInstallationKey(source, { data_dir: directory(), installation_key_file: file });
  } finally {
    await source.close();
  }
}

describeStores('the installation key', (backend) => {
  test('is wrong where a second factor was sealed with the key of another server, by its path and how many', async () => {
    const place = backend.place();
    const [ours, theirs] = [newKey('ours.key'), newKey('theirs.key')];
    await (await openStore(place, SILENT)).close();
    expect(await examined(place, ours)).toMatchObject({ state: 'skipped' });
    await enrol(place, ours);
    expect(await examined(place, ours)).toMatchObject({ state: 'ok' });
    await enrol(place, theirs);
    expect(await examined(place, ours)).toMatchObject({
      state: 'wrong',
      detail: `1 of 2 second factors in the store were sealed with another key than ${ours}`,
      remedy: expect.stringContaining('installation_key_file'),
    });
  });

  test('that is missing is made by a first start, and is wrong where the store needs it; none is made', async () => {
    const place = backend.place();
    await (await openStore(place, SILENT)).close();
    expect(await examined(place)).toMatchObject({ state: 'skipped' });
    await enrol(place, newKey('ours.key'));
    expect(await examined(place)).toMatchObject({ state: 'wrong' });
    expect(existsSync(join(directory(), 'installation.key'))).toBe(false);
  });
});
