import { expect, test } from 'vitest';
import { createKeyText } from '../../../../src/account/identity/api-keys/key-text.ts';
import { digestKey, Keyring } from '../../../../src/account/identity/api-keys/keyring.ts';

const NOW_MS = 1_760_000_000_000;

function ringWith(isRevoked = false): { readonly keyring: Keyring; readonly text: string } {
  const [keyring, text] = [new Keyring(), createKeyText('ks_key_')];
  keyring.put({
    keyId: 'key',
    accountId: 'account',
    digest: digestKey(text),
    isRevoked,
    expiresAtMs: undefined,
    checkSource: undefined,
  });
  return { keyring, text };
}

test('a key in the ring is valid and tells its account', () => {
  const { keyring, text } = ringWith();
  expect(keyring.find(text, NOW_MS)).toEqual({ kind: 'valid', keyId: 'key', accountId: 'account' });
});

test('a revoked key is refused whatever the clock says: it may be set back, or differ from that of the revoker', () => {
  const { keyring, text } = ringWith(true);
  for (const nowMs of [0, NOW_MS, Number.MAX_SAFE_INTEGER])
    expect(keyring.find(text, nowMs)).toEqual({ kind: 'revoked', keyId: 'key', accountId: 'account' });
});

test('a revocation reaches the ring, and only the key that it names', () => {
  const { keyring, text } = ringWith();
  const other = createKeyText('ks_key_');
  keyring.put({
    keyId: 'other',
    accountId: 'account',
    digest: digestKey(other),
    isRevoked: false,
    expiresAtMs: undefined,
    checkSource: undefined,
  });
  keyring.revoke('key');
  keyring.revoke('nobody');
  expect([keyring.find(text, NOW_MS).kind, keyring.find(other, NOW_MS).kind]).toEqual(['revoked', 'valid']);
  expect(keyring.size).toBe(2);
});

test.each([
  ['a key that was never given out', createKeyText('ks_key_')],
  ['a token', createKeyText('ks_tok_')],
  ['nothing', ''],
  ['a prefix', 'ks_key_'],
])('%s is unknown', (_what, presented) => {
  expect(ringWith().keyring.find(presented, NOW_MS)).toEqual({ kind: 'unknown' });
});

test('a digest that shares the half it is looked up by is not the key', () => {
  const [keyring, text] = [new Keyring(), createKeyText('ks_key_')];
  const digest = Uint8Array.from(digestKey(text));
  digest[31] = (digest[31] ?? 0) ^ 1;
  keyring.put({
    keyId: 'key',
    accountId: 'account',
    digest,
    isRevoked: false,
    expiresAtMs: undefined,
    checkSource: undefined,
  });
  expect(keyring.find(text, NOW_MS)).toEqual({ kind: 'unknown' });
});
