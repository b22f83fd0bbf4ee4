import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyText, isKeyText, shownPart } from '../../../../src/account/identity/api-keys/key-text.ts';

const anyRandom = fc.uint8Array({ minLength: 32, maxLength: 32 });

// Made with Python: base-62 of the number, zlib.crc32 of the text before the checksum.
test.each([
  ['ks_key_', 0, 'ks_key_00000000000000000000000000000000000000000001tSawv'],
  ['ks_tok_', 255, 'ks_tok_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13eEalv'],
] as const)(
  'a key is its prefix, 256 random bits in base-62 and a checksum: %s of bytes %i',
  (prefix, byte, text) => {
    expect(createKeyText(prefix, (sizeBytes) => new Uint8Array(sizeBytes).fill(byte))).toBe(text);
  },
);

test('keys that are made are well formed, of one length, and differ', () => {
  const keys = Array.from({ length: 1_000 }, () => createKeyText('ks_key_'));
  expect(keys.filter((key) => !isKeyText('ks_key_', key) || key.length !== 56)).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});

test('any one character changed is noticed', () => {
  fc.assert(
    fc.property(anyRandom, fc.nat(55), fc.constantFrom(...'09AZaz_-é'), (random, at, character) => {
      const key = createKeyText('ks_key_', () => random);
      const changed = key.slice(0, at) + character + key.slice(at + 1);
      expect(isKeyText('ks_key_', changed)).toBe(changed === key);
    }),
  );
});

test('two neighbours swapped are noticed', () => {
  fc.assert(
    fc.property(anyRandom, fc.nat(54), (random, at) => {
      const key = createKeyText('ks_key_', () => random);
      const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
      expect(isKeyText('ks_key_', swapped)).toBe(swapped === key);
    }),
  );
});

test.each(['', 'ks_key_', 'ks_key_short', 'ks_tok_'])('%j is no key', (text) => {
  expect(isKeyText('ks_key_', text)).toBe(false);
});

test('a key of one kind, or with something behind it, is not a key of another kind', () => {
  const key = createKeyText('ks_key_');
  expect([
    isKeyText('ks_tok_', key),
    isKeyText('ks_key_', `${key}\n`),
    isKeyText('ks_key_', ` ${key}`),
  ]).toEqual([false, false, false]);
});

test('what is shown of a key is its prefix and four digits', () => {
  const key = createKeyText('ks_key_');
  expect(shownPart('ks_key_', key)).toBe(key.slice(0, 11));
});
