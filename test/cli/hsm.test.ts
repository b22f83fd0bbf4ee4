import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HSM_CHECKS } from '../../src/signer/hsm/check/checks.ts';
import { eventually } from '../support/eventually.ts';
import { startNode } from '../support/node-process.ts';
import { findSoftHsm, newToken, SOFTHSM_MISSING } from '../support/softhsm.ts';

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = startNode(['src/main.ts', 'hsm', ...args], env);
  const ended = await eventually('the command ends', command.ended);
  return { ended, stdout: command.stdout(), stderr: command.stderr() };
}

type Report = {
  readonly kind: string;
  readonly keys_in: string;
  readonly checks: readonly { outcome: string; name: string }[];
};

test('without settings it reports on keys sealed in software', async () => {
  const { ended, stdout, stderr } = await run(['check']);
  expect([ended, stderr]).toEqual(['exit code 0', '']);
  expect(stdout).toContain('Key backend: soft');
  for (const { name } of HSM_CHECKS) expect(stdout).toContain(name);
  expect(stdout).toMatch(/Every promise held; - marks what this backend does not have\.\n$/);
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
  const { ended, stdout } = await run(['check', '--json'], {
    SOFTHSM2_CONF: configFile,
    KEYSLOT_HSM_KIND: 'pkcs11',
    KEYSLOT_PKCS11_LIBRARY: library,
    KEYSLOT_PKCS11_TOKEN: label,
    KEYSLOT_PKCS11_PIN: pin,
    KEYSLOT_PKCS11_WRAP: '0',
  });
  const report = JSON.parse(stdout) as Report;
  expect(ended).toBe('exit code 0');
  expect(report).toMatchObject({ kind: 'pkcs11', keys_in: 'token', derives: false });
  expect(report.checks.map(({ name }) => name)).toEqual(HSM_CHECKS.map(({ name }) => name));
  expect(report.checks.filter(({ outcome }) => outcome === 'broken')).toEqual([]);
  expect(objects()).toEqual(before);
});

test('what is wrong with the settings is told without a report', async () => {
  const { ended, stdout, stderr } = await run(['check'], { KEYSLOT_HSM_KIND: 'pkcs11' });
  expect([ended, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain('KEYSLOT_PKCS11_LIBRARY');
});

test.each([[[]], [['look']], [['check', 'twice']], [['check', '--loud']]])(
  'keyslot hsm %s is a mistake',
  async (args) => {
    expect((await run(args)).ended).toBe('exit code 2');
  },
);
