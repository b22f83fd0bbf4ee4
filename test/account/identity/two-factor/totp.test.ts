import { expect, test } from 'vitest';
import { isHeaderValue } from '../../../../generated/wallets/operations.ts';
import { findStep, showSecret } from '../../../../src/account/identity/two-factor/check-code.ts';

const SECRET = Buffer.from('12345678901234567890');

/** RFC 6238, appendix B, SHA-1; the last 6 of its 8 digits. */
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at second %i the code is %s, for one step more and one less', (second, code) => {
  const step = Math.floor(second / 30);
  for (const at of [step - 1, step, step + 1]) expect(findStep(SECRET, code, at * 30_000)).toBe(step);
  for (const at of [step - 2, step + 2]) expect(findStep(SECRET, code, at * 30_000)).toBeUndefined();
  expect(findStep(SECRET, code, (step + 2) * 30_000 - 1)).toBe(step);
});

test.each(['287 082', ' 287082 ', '287-082', '2 8--7\t0 82', '287\u00a0082', '28\u201370\t82\n'])(
  '%j is the code, as apps show it',
  (code) => {
    expect(findStep(SECRET, code, 59_000)).toBe(1);
    // A header holds one line of ASCII.
    if (/^[ -~\t]+$/.test(code)) expect(isHeaderValue('X-Two-Factor-Code', code)).toBe(true);
  },
);

test.each(['', ' ', '28708', '2870820', '28708a', '２８７０８２', '287.082', '+87082'])(
  '%j is no code',
  (code) => {
    expect(findStep(SECRET, code, 59_000)).toBeUndefined();
    expect(isHeaderValue('X-Two-Factor-Code', code)).toBe(false);
  },
);

test('a secret is shown as an address that apps read, and as base-32', () => {
  const { uri, secret } = showSecret(SECRET, 'acme');
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  expect(uri).toMatch(/^otpauth:\/\/totp\/Keyslot:acme\?/);
  expect(Object.fromEntries(new URL(uri).searchParams)).toEqual({
    issuer: 'Keyslot',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
