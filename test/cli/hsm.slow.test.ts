import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HSM_CHECKS } from '../../src/signer/hsm/check/checks.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING } from '../support/softhsm.ts';
import { useCommands } from './use-commands.ts';

const { run, runAlone } = useCommands();

type Report = {
  readonly kind: string;
  readonly keys_in: string;
  readonly checks: readonly { outcome: string; name: string }[];
};

test('without settings it reports on keys sealed in software', async () => {
  const { end, stdout, stderr } = await runAlone(['hsm', 'check']);
  expect([end, stderr]).toEqual(['exit code 0', '']);
  expect(stdout).toContain('Key backend: soft');
  for (const { name } of HSM_CHECKS) expect(stdout).toContain(name);
  expect(stdout).toMatch(/All checks passed; - marks what this backend does not support\.\n$/);
});

test('an operator’s token is reported as one line of JSON, and nothing stays in it', async (context) => {
  const library = findSoftHsm();
  if (library === undefined) return context.skip(SOFTHSM_MISSING);
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-token-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { label, pin, tokens, configFile } = newToken(library, directory);
  const objects = (): readonly string[] =>
    readdirSync(tokens, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.object'));
  const before = objects();
  const { end, stdout } = await runAlone(['hsm', 'check', '--json'], {
    SOFTHSM2_CONF: configFile,
    KEYSLOT_HSM_KIND: 'pkcs11',
    KEYSLOT_PKCS11_LIBRARY: library,
    KEYSLOT_PKCS11_TOKEN: label,
    KEYSLOT_PKCS11_PIN: pin,
    KEYSLOT_PKCS11_WRAP: '0',
  });
  const report = JSON.parse(stdout) as Report;
  expect(end).toBe('exit code 0');
  expect(report).toMatchObject({ kind: 'pkcs11', keys_in: 'token', derives: false });
  expect(report.checks.map(({ name }) => name)).toEqual(HSM_CHECKS.map(({ name }) => name));
  expect(report.checks.filter(({ outcome }) => outcome === 'broken')).toEqual([]);
  expect(objects()).toEqual(before);
});

test.for([['hsm', 'check'], ['serve']])(
  'keyslot %s ends as after a mistake when the token refuses the PIN: a supervisor must not try it again',
  async (args, context) => {
    const library = findSoftHsm();
    if (library === undefined) return context.skip(SOFTHSM_MISSING);
    const directory = mkdtempSync(join(tmpdir(), 'keyslot-token-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const { label, configFile } = newToken(library, directory);
    const { end, stdout, stderr } = await runAlone(args, {
      SOFTHSM2_CONF: configFile,
      KEYSLOT_DATA_DIR: join(directory, 'data'),
      KEYSLOT_HSM_KIND: 'pkcs11',
      KEYSLOT_PKCS11_LIBRARY: library,
      KEYSLOT_PKCS11_TOKEN: label,
      KEYSLOT_PKCS11_PIN: '555333111',
    });
    expect([end, stdout]).toEqual(['exit code 2', '']);
    expect(stderr).toContain('refuses the PIN');
    expect(stderr).not.toContain('555333111');
  },
);

test('what is wrong with the settings is told without a report', async () => {
  const { end, stdout, stderr } = await runAlone(['hsm', 'check'], { KEYSLOT_HSM_KIND: 'pkcs11' });
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain('KEYSLOT_PKCS11_LIBRARY');
});

test.each([[[]], [['look']], [['check', 'twice']], [['check', '--loud']]])(
  'keyslot hsm %s is a mistake',
  async (args) => {
    expect((await run('hsm', ...args)).end).toBe('exit code 2');
  },
);
