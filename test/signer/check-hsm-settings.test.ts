import { expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config.ts';

const problemsOf = (env: Readonly<Record<string, string>>): string => {
  try {
    loadConfig({ env });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
};

const TOKEN = {
  KEYSLOT_HSM_KIND: 'pkcs11',
  KEYSLOT_PKCS11_LIBRARY: '/lib/token.so',
  KEYSLOT_PKCS11_TOKEN: 'wallets',
  KEYSLOT_PKCS11_PIN_FILE: '/run/pin',
};

test('without settings, keys are sealed in software', () => {
  expect(loadConfig({ env: {} }).hsm).toEqual({ kind: 'soft', soft: {} });
});

test('a token needs no file of settings', () => {
  expect(loadConfig({ env: TOKEN }).hsm).toEqual({
    kind: 'pkcs11',
    soft: {},
    pkcs11: { library: '/lib/token.so', token: 'wallets', pin_file: '/run/pin', sessions: 4, wrap: true },
  });
});

test.each([
  [
    'no library',
    { KEYSLOT_HSM_KIND: 'pkcs11' },
    'needs at least hsm.pkcs11.library (KEYSLOT_PKCS11_LIBRARY)',
  ],
  [
    'no token',
    { ...TOKEN, KEYSLOT_PKCS11_TOKEN: '' },
    'hsm.pkcs11.token (KEYSLOT_PKCS11_TOKEN) or hsm.pkcs11.slot (KEYSLOT_PKCS11_SLOT) is missing',
  ],
  ['a label and a slot', { ...TOKEN, KEYSLOT_PKCS11_SLOT: '3' }, 'are both set; set only one of them'],
  [
    'no PIN',
    { ...TOKEN, KEYSLOT_PKCS11_PIN_FILE: '' },
    'hsm.pkcs11.pin_file (KEYSLOT_PKCS11_PIN_FILE) or hsm.pkcs11.pin (KEYSLOT_PKCS11_PIN) is missing',
  ],
  ['two PINs', { ...TOKEN, KEYSLOT_PKCS11_PIN: '92837465' }, 'are both set; set only one of them'],
  [
    'a previous master key alone',
    { KEYSLOT_HSM_PREVIOUS_MASTER_KEY_FILE: '/run/old' },
    'is set without hsm.soft.master_key_file',
  ],
])('%s is reported, with the variables that fix it', (_name, env, text) => {
  expect(problemsOf(env)).toContain(text);
});

test('no problem repeats a PIN', () => {
  expect(
    problemsOf({ ...TOKEN, KEYSLOT_PKCS11_PIN: '92837465', KEYSLOT_PKCS11_SESSIONS: '0' }),
  ).not.toContain('92837465');
});
