import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const at = (name: string): string => join(directory(), name);
const MAIL = { KEYSLOT_MAIL_FROM: 'keyslot@example.com' };

/** Checks in this process, with a data directory that does not exist. */
async function check(env: Readonly<Record<string, string>> = {}, ...args: readonly string[]) {
  const [out, error]: [string[], string[]] = [[], []];
  const code = await runCommandLine(['serve', '--check', ...args], {
    env: { KEYSLOT_DATA_DIR: at('data'), ...env },
    writeOut: (text) => void out.push(text),
    writeError: (text) => void error.push(text),
  });
  return { code, out: out.join(''), error: error.join('') };
}

test('a configuration that is valid is said to be in a sentence, and nothing is created', async () => {
  expect(await check()).toEqual({
    code: 0,
    out: 'The configuration is valid; ports, store and other services were not tried.\n',
    error: '',
  });
  expect(readdirSync(directory())).toEqual([]);
});

test('files that settings name are read', async () => {
  for (const name of ['master.key', 'installation.key']) writeFileSync(at(name), 'ab'.repeat(32));
  writeFileSync(at('smtp.url'), 'smtps://keyslot:secret@mail.example');
  const env = {
    KEYSLOT_HSM_MASTER_KEY_FILE: at('master.key'),
    KEYSLOT_INSTALLATION_KEY_FILE: at('installation.key'),
    KEYSLOT_MAIL_SMTP_URL_FILE: at('smtp.url'),
    KEYSLOT_DATABASE_URL: 'postgres://keyslot@nowhere.example/keyslot',
  };
  expect(await check({ ...env, ...MAIL })).toMatchObject({ code: 0, error: '' });
});

test('mistakes of settings are told at once', async () => {
  const { code, out, error } = await check({ KEYSLOT_HTTP_HOST: '0.0.0.0' }, '--http-port', '99999');
  expect([code, out]).toEqual([2, '']);
  expect(error).toContain('http.port (KEYSLOT_HTTP_PORT) is 99999; must be an integer from 0 to 65535');
  expect(error).toContain('http.host (KEYSLOT_HTTP_HOST) is "0.0.0.0"');
});

test('everything that is wrong with files is told at once, without a secret', async () => {
  writeFileSync(at('installation.key'), 'secret');
  const { code, error } = await check({
    KEYSLOT_HSM_MASTER_KEY_FILE: at('master.key'),
    KEYSLOT_INSTALLATION_KEY_FILE: at('installation.key'),
    KEYSLOT_MAIL_SMTP_URL_FILE: at('smtp.url'),
    KEYSLOT_DATABASE_URL: 'postgres://keyslot:secret@:x/keyslot',
    ...MAIL,
  });
  expect(code).toBe(2);
  expect(error.replaceAll(directory(), 'DIR').split('\n')).toEqual([
    'keyslot: The signer cannot start: hsm.soft.master_key_file DIR/master.key: the file does not exist',
    'keyslot: KEYSLOT_DATABASE_URL: not an address of the form postgres://user:password@host:5432/database',
    'keyslot: the installation key DIR/installation.key: must be 64 hexadecimal digits',
    "keyslot: mail.smtp_url_file (KEYSLOT_MAIL_SMTP_URL_FILE) DIR/smtp.url: ENOENT: no such file or directory, open 'DIR/smtp.url'",
    '',
  ]);
});

test('the library and the PIN of a token are looked for, and the token is not opened', async () => {
  const token = { KEYSLOT_HSM_KIND: 'pkcs11', KEYSLOT_PKCS11_TOKEN: 'keyslot' };
  writeFileSync(at('token.so'), '');
  const env = { ...token, KEYSLOT_PKCS11_LIBRARY: at('token.so'), KEYSLOT_PKCS11_PIN_FILE: at('pin') };
  expect((await check(env)).error).toBe(
    `keyslot: The signer cannot start: hsm.pkcs11.pin_file ${at('pin')}: the file does not exist\n`,
  );
  writeFileSync(at('pin'), '1234\n');
  expect(await check(env)).toMatchObject({ code: 0 });
  expect((await check({ ...env, KEYSLOT_PKCS11_LIBRARY: at('other.so') })).error).toContain(
    `the PKCS#11 library ${at('other.so')} (hsm.pkcs11.library, KEYSLOT_PKCS11_LIBRARY) does not load`,
  );
});

test('a data directory that no start would take is told', async () => {
  writeFileSync(at('file'), '');
  for (const dir of ['file', 'file/below'])
    expect(await check({ KEYSLOT_DATA_DIR: at(dir) })).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^keyslot: embedded store .*: E(EXIST|NOTDIR): .*\n$/),
    });
  mkdirSync(at('moved/store.moved'), { recursive: true });
  expect((await check({ KEYSLOT_DATA_DIR: at('moved') })).error).toContain('it was moved to a PostgreSQL');
  mkdirSync(at('restored/.restoring'), { recursive: true });
  expect((await check({ KEYSLOT_DATA_DIR: at('restored') })).error).toContain('a restore into it is running');
  const long = at('x'.repeat(200));
  expect((await check({ KEYSLOT_DATA_DIR: long })).error).toContain('the limit for a socket is');
});

test('settings that the embedded ledger would refuse at each start are told', async () => {
  const votes = { KEYSLOT_LOCALNET_VOTES: 'true' };
  expect(await check({ KEYSLOT_LOCALNET_CONSENSUS: 'alpenglow', ...votes })).toMatchObject({
    code: 2,
    out: '',
    error: expect.stringContaining(
      'localnet.votes (KEYSLOT_LOCALNET_VOTES) is true; needs localnet.consensus: tower',
    ),
  });
  expect(await check(votes)).toMatchObject({ code: 0, error: '' });
});
