import * as scure from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createMnemonic,
  isMnemonic,
  mnemonicOf,
  mnemonicSeed,
  mnemonicSeedNow,
  passphraseSalt,
  readMnemonic,
} from '../../../src/core/keys/mnemonic.ts';
import { hex, toHex } from './engines.ts';
import { rounds } from '../../support/tier.ts';
import vectors from './vectors/bip39.json' with { type: 'json' };

const ours = vectors.english.filter(({ entropy }) => entropy.length !== 48);
const [first] = ours;

describe('the vectors of Trezor', () => {
  test.each(vectors.english)('words and seed of $entropy', async ({ entropy, mnemonic, seed }) => {
    expect(mnemonicOf(hex(entropy)).toString()).toBe(mnemonic);
    expect(toHex(await mnemonicSeed(mnemonic, 'TREZOR'))).toBe(seed);
    expect(toHex(mnemonicSeedNow(Buffer.from(mnemonic), passphraseSalt('TREZOR')))).toBe(seed);
  });

  test('words and passphrase are taken in NFKD', async () => {
    const { mnemonic, passphrase, seed } = vectors.japanese;
    expect(passphrase.normalize('NFKD')).not.toBe(passphrase);
    expect(toHex(await mnemonicSeed(mnemonic, passphrase))).toBe(seed);
    expect(toHex(await mnemonicSeed(mnemonic.normalize('NFKD'), passphrase.normalize('NFC')))).toBe(seed);
  });

  test.each(ours)('reads $mnemonic', ({ mnemonic }) => {
    expect(readMnemonic(mnemonic)?.toString()).toBe(mnemonic);
  });
});

test('a mnemonic is read in any case and with any white space', () => {
  const mnemonic = first?.mnemonic ?? '';
  expect(readMnemonic(`  ${mnemonic.toUpperCase().replaceAll(' ', '\t\n\u3000')} `)?.toString()).toBe(
    mnemonic,
  );
});

test('what is no English mnemonic of 12 or 24 words is not read', () => {
  const eighteen = vectors.english.find(({ entropy }) => entropy.length === 48)?.mnemonic ?? '';
  const words = (first?.mnemonic ?? '').split(' ');
  const wrong = [
    '',
    eighteen,
    words.slice(1).join(' '),
    [...words, 'abandon'].join(' '),
    [...words.slice(0, 11), 'abandon'].join(' '),
    [...words.slice(0, 11), 'aboutt'].join(' '),
    vectors.japanese.mnemonic,
    '__proto__ '.repeat(12),
  ];
  expect(wrong.filter(isMnemonic)).toEqual([]);
});

test('mnemonics are the ones of @scure/bip39, both ways', () => {
  const entropy = fc.oneof(
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
  );
  const property = fc.property(entropy, fc.nat(), fc.nat(2047), (bytes, at, word) => {
    const expected = scure.entropyToMnemonic(bytes, wordlist);
    expect(mnemonicOf(bytes).toString()).toBe(expected);
    expect(isMnemonic(expected)).toBe(true);
    const words = expected.split(' ');
    words[at % words.length] = wordlist[word] ?? '';
    expect(isMnemonic(words.join(' '))).toBe(scure.validateMnemonic(words.join(' '), wordlist));
  });
  fc.assert(property, { numRuns: rounds(500) });
});

test('seeds are the ones of @scure/bip39, for any passphrase', async () => {
  const property = fc.asyncProperty(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.string({ unit: 'grapheme' }),
    async (entropy, passphrase) => {
      const mnemonic = scure.entropyToMnemonic(entropy, wordlist);
      const expected = await scure.mnemonicToSeed(mnemonic, passphrase);
      expect(toHex(await mnemonicSeed(mnemonic, passphrase))).toBe(toHex(expected));
    },
  );
  await fc.assert(property, { numRuns: rounds(20) });
});

test('a new mnemonic is of the randomness that it is given, which is wiped', () => {
  let given: Uint8Array | undefined;
  const mnemonic = createMnemonic(24, (into) => {
    given = into.fill(0xff);
  });
  expect(mnemonic.toString()).toBe(`${'zoo '.repeat(23)}vote`);
  expect(given).toEqual(Buffer.alloc(32));
});

test('there is no mnemonic when randomness fails', () => {
  const fail = (): never => {
    throw new Error('no entropy');
  };
  expect(() => createMnemonic(12, fail)).toThrow('no entropy');
});
