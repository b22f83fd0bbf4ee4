import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { loadInstallationKey } from '../../../src/account/sealing/installation-key.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();
const PURPOSE = 'two-factor secrets';
const HEX = '00'.repeat(31);

test('is made once, for its owner only, and the same for all that make it at once', async () => {
  const dataDir = join(directory(), 'new');
  const keys = await Promise.all([1, 2, 3, 4].map(() => loadInstallationKey({ dataDir })));
  const [first, ...others] = keys.map((key) => key.derive(PURPOSE).export().toString('hex'));
  expect(new Set(others)).toEqual(new Set([first]));
  expect(await readdir(dataDir)).toEqual(['installation.key']);
  expect((await stat(join(dataDir, 'installation.key'))).mode & 0o777).toBe(0o600);
  const text = await readFile(join(dataDir, 'installation.key'), 'utf8');
  expect(text).toMatch(/^[0-9a-f]{64}\n$/);
  expect(inspect(keys, { depth: 9, showHidden: true })).not.toContain(text.trim());
});

test('gives another key for another purpose, as HKDF says', async () => {
  const file = join(directory(), 'shared');
  await writeFile(file, `${HEX}01`);
  const key = await loadInstallationKey({ dataDir: directory(), file });
  expect(key.derive(PURPOSE).export()).not.toEqual(key.derive('idempotency fingerprints').export());
  expect(await readdir(directory())).toEqual(['shared']);
});

test.each([
  ['is not there', undefined, 'no such file'],
  ['is short', HEX, '64 hexadecimal digits'],
  ['is empty', '', '64 hexadecimal digits'],
  ['is long', `${HEX}0102`, '64 hexadecimal digits'],
  ['is no hexadecimal', `${HEX}0x`, '64 hexadecimal digits'],
])('a file of the setting that %s is named, without what is in it', async (_what, text, reason) => {
  const file = join(directory(), 'shared');
  if (text !== undefined) await writeFile(file, text);
  const failure: unknown = await loadInstallationKey({ dataDir: directory(), file }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'invalidConfig', message: expect.stringContaining(reason) });
  expect(failure).toMatchObject({ message: expect.stringContaining(file) });
  expect(inspect(failure)).not.toContain(HEX);
});
