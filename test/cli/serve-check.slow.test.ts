import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { allowTraversal } from '../support/run-as.ts';
import { systemUser, usersMissing } from '../support/system-users.ts';
import { useCommands } from './use-commands.ts';

const { runAlone } = useCommands();
const directory = useNewDirectory();
const at = (name: string): string => join(directory(), name);
const MISSING = usersMissing();

test.each([
  ['a setting', { KEYSLOT_HTTP_HOST: '0.0.0.0' }],
  ['the address of the store', { KEYSLOT_DATABASE_URL: 'postgres://keyslot@:x/keyslot' }],
  ['the master key', { KEYSLOT_HSM_MASTER_KEY_FILE: '/nowhere/master.key' }],
  ['the installation key', { KEYSLOT_INSTALLATION_KEY_FILE: '/nowhere/installation.key' }],
  ['the data directory', { KEYSLOT_DATA_DIR: '/dev/null/data' }],
])('of %s a check says what a start says', async (_, env) => {
  const [checked, started] = [await runAlone(['serve', '--check'], env), await runAlone(['serve'], env)];
  expect(checked).toMatchObject({ end: 'exit code 2', stdout: '' });
  expect(started.end).toMatch(/^exit code [12]$/);
  expect(started.stderr).toContain(checked.stderr);
});

test.skipIf(MISSING !== undefined)(
  `with users of their own, each file is read by the user that needs it${MISSING === undefined ? '' : ` (${MISSING})`}`,
  async () => {
    allowTraversal();
    chmodSync(directory(), 0o711);
    const [gateway, signer] = [systemUser('ks-test-gateway'), systemUser('ks-test-signer')];
    const env = {
      KEYSLOT_DATA_DIR: at('data'),
      KEYSLOT_GATEWAY_USER: gateway.name,
      KEYSLOT_SIGNER_USER: signer.name,
      KEYSLOT_HSM_MASTER_KEY_FILE: at('master.key'),
      KEYSLOT_INSTALLATION_KEY_FILE: at('installation.key'),
    };
    const give = (name: string, uid: number): void => {
      writeFileSync(at(name), 'ab'.repeat(32), { mode: 0o600 });
      chownSync(at(name), uid, uid);
      chmodSync(at(name), 0o400);
    };
    mkdirSync(at('data'), { mode: 0o700 });
    chownSync(at('data'), gateway.uid, gateway.uid);
    give('master.key', signer.uid);
    give('installation.key', gateway.uid);
    expect(await runAlone(['serve', '--check'], env)).toMatchObject({ end: 'exit code 0', stderr: '' });

    give('master.key', gateway.uid);
    give('installation.key', signer.uid);
    const { end, stderr } = await runAlone(['serve', '--check'], env);
    expect(end).toBe('exit code 2');
    expect(stderr).toContain(`hsm.soft.master_key_file ${at('master.key')}: EACCES`);
    expect(stderr).toContain(`the installation key ${at('installation.key')}: EACCES`);
  },
);
