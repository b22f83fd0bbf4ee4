import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../generated/config.ts';
import type { Finding, Installation } from '../../../src/operate/doctor/finding.ts';
import { checkDataDirectory } from '../../../src/operate/doctor/checks/data-directory.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { allowTraversal, NOBODY, runAs } from '../../support/run-as.ts';
import { systemUser, usersMissing } from '../../support/system-users.ts';

const directory = useNewDirectory();
const at = (...names: readonly string[]): string => join(directory(), ...names);

async function examined(signer_user?: string): Promise<Finding> {
  const config = { data_dir: directory(), signer_user } as Config;
  const installation: Installation = { config, nowMs: 0, status: undefined };
  return (await checkDataDirectory(installation)) as Finding;
}

const makeSigner = (): void => {
  mkdirSync(at('signer'), { mode: 0o700 });
  writeFileSync(at('signer', 'master.key'), 'x', { mode: 0o600 });
};

test('files of a signer without a user of its own are looked at like all others', async () => {
  makeSigner();
  expect(await examined()).toMatchObject({ state: 'ok', detail: `${directory()} is closed to other users` });
  chmodSync(at('signer', 'master.key'), 0o640);
  expect(await examined()).toMatchObject({
    state: 'wrong',
    detail: `${at('signer', 'master.key')} has the mode 640`,
    remedy: expect.not.stringContaining('except'),
  });
});

const missing = usersMissing();

describe.skipIf(missing !== undefined)(`a signer with a user of its own (${missing ?? ''})`, () => {
  const makeBoth = (): string => {
    makeSigner();
    const { name, uid } = systemUser('ks-test-signer');
    for (const path of [at('signer'), at('signer', 'master.key')]) chownSync(path, uid, uid);
    chownSync(directory(), NOBODY, NOBODY);
    return name;
  };

  test('keeps its directory, which is how it should be; it is the exception of the remedy', async () => {
    const name = makeBoth();
    for (const user of [name, undefined])
      expect(await examined(user)).toMatchObject({
        state: 'ok',
        detail: expect.stringMatching(
          /signer belongs to .*, the user of the signer, and was not checked inside$/,
        ),
      });
    writeFileSync(at('dev.json'), '{}');
    chmodSync(at('dev.json'), 0o644);
    expect(await examined(name)).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining(`${at('dev.json')} has the mode 644`),
      remedy: expect.stringContaining(`except ${at('signer')}, which stays with the user of the signer`),
    });
  });

  test('is not taken for broken by the user of the gateway, who cannot look into it', () => {
    const name = makeBoth();
    allowTraversal();
    const module = join(process.cwd(), 'src/operate/doctor/checks/data-directory.ts');
    const config = { data_dir: directory(), signer_user: name };
    const script = `import(${JSON.stringify(module)}).then(async ({ checkDataDirectory }) =>
      console.log(JSON.stringify(await checkDataDirectory({ config: ${JSON.stringify(config)} }))))`;
    const { output, error } = runAs(NOBODY, ['-e', script]);
    expect(error).toBe('');
    expect(JSON.parse(output)).toMatchObject({ state: 'ok' });
  });

  test('has its mode and its owner checked', async () => {
    const name = makeBoth();
    chmodSync(at('signer'), 0o750);
    expect(await examined(name)).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining(`${at('signer')} has the mode 750`),
    });
    chmodSync(at('signer'), 0o700);
    chownSync(at('signer'), NOBODY, NOBODY);
    expect(await examined(name)).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining(
        `${at('signer')} belongs to user ${NOBODY} and must belong to ${name}: chown -R ${name}: ${at('signer')}`,
      ),
    });
  });
});
