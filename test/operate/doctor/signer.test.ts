import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Config } from '../../../generated/config.ts';
import { checkSigner } from '../../../src/operate/doctor/checks/signer.ts';
import type { Installation } from '../../../src/operate/doctor/finding.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();
const at = (name: string): string => join(directory(), 'signer', name);

/** The findings on the signer of a server that does not run. */
async function examined(soft: Config['hsm']['soft'] = {}) {
  const config = { data_dir: directory(), hsm: { kind: 'soft', soft } } as unknown as Config;
  const findings = await checkSigner({ config, status: undefined } as unknown as Installation);
  return [findings].flat().find(({ part }) => part === 'signer');
}

function makeFiles(): void {
  mkdirSync(join(directory(), 'signer'));
  for (const name of ['audit.key', 'tombstones', 'master.key']) writeFileSync(at(name), 'x');
}

test('a stopped server whose signer has its files is left alone', async () => {
  makeFiles();
  expect(await examined()).toMatchObject({ state: 'skipped' });
});

test.each(['tombstones', 'master.key'])('a signer without its %s would not start', async (name) => {
  makeFiles();
  rmSync(at(name));
  expect(await examined()).toMatchObject({
    state: 'wrong',
    detail: `${at(name)} is missing`,
    remedy: expect.stringContaining('from its newest backup'),
  });
});

test('a master key in a file of its own is not missing from the others', async () => {
  makeFiles();
  rmSync(at('master.key'));
  expect(await examined({ master_key_file: at('elsewhere') })).toMatchObject({ state: 'skipped' });
});
