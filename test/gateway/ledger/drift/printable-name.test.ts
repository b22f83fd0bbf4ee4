import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { createKeyText } from '../../../../src/account/identity/api-keys/key-text.ts';
import { printableName } from '../../../../src/gateway/ledger/drift/printable-name.ts';
import { DOCUMENT } from './spec-examples.ts';

/** Every name of a member, and every word that is listed. */
function namesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, enum: listed } = schema as { properties?: object; enum?: unknown };
  const words: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const own = [...Object.keys(properties), ...words.filter((word) => typeof word === 'string')];
  return [...own, ...Object.values(schema).flatMap(namesOf)];
}

test('every name of the specification looks like one, and so do methods of other providers', () => {
  const { methods, components } = JSON.parse(DOCUMENT) as {
    readonly methods: readonly { readonly name: string; readonly result: unknown }[];
    readonly components: unknown;
  };
  const names = [...namesOf(components), ...namesOf(methods), ...methods.map(({ name }) => name)];
  expect(names.length).toBeGreaterThan(1_000);
  const others = [
    ...['getAssetsByOwner', 'getProgramAccountsV2', 'surfnet_setTokenAccount', 'getInflightBundleStatuses'],
    ...[
      'eth_getBlockByNumber',
      'qn_estimatePriorityFees',
      'getNFTOwners',
      'rpc.modules',
      'getbalance',
      'ping',
    ],
  ];
  expect([...names, ...others].filter((name) => printableName(name) !== name)).toEqual([]);
});

test('keys, addresses, signatures and other random texts do not', () => {
  const random = (sizeBytes: number): Buffer => randomBytes(sizeBytes);
  const made: readonly (() => string)[] = [
    () => createKeyText('ks_key_'),
    () => createKeyText('ks_tok_'),
    () => base58.encode(random(32)),
    () => base58.encode(random(64)),
    () => `k${random(16).toString('hex')}`,
    () => `k${random(32).toString('base64url')}`,
  ];
  for (const make of made) {
    const shown = Array.from({ length: 2_000 }, make).filter((text) => printableName(text) !== '*');
    // Names that look like words by chance: one in a thousand.
    expect(shown.length).toBeLessThan(10);
  }
  const own = Array.from({ length: 2_000 }, () => createKeyText('ks_key_'));
  expect(own.filter((text) => printableName(text) !== '*')).toEqual([]);
});

test.each([
  '',
  '1st',
  'two words',
  'line\nbreak',
  'quote"',
  'a{b="c"}',
  'ünknown',
  'n'.repeat(65),
  'JBSWY3DPEHPK3PXPJBSWY3DP',
])('what is no identifier of words is a star: %j', (text) => {
  expect(printableName(text)).toBe('*');
});
