import { expect, test } from 'vitest';
import { isCidr } from '../../../../src/core/cidr.ts';
import { compileRules, isOrigin } from '../../../../src/account/identity/api-keys/key-rules.ts';

const ORIGIN = 'https://app.example';

test('no rules check nothing', () => {
  expect(compileRules({ origins: [], cidrs: [] })).toBeUndefined();
});

test.each([
  [ORIGIN, undefined],
  ['https://app.example:8443', 'apiKeyOriginRefused'],
  ['http://app.example', 'apiKeyOriginRefused'],
  ['https://app.example.evil', 'apiKeyOriginRefused'],
  ['null', 'apiKeyOriginRefused'],
  ['', 'apiKeyOriginRefused'],
  [undefined, 'apiKeyOriginRefused'],
])('where an origin is asked for, %s gives %s', (origin, breach) => {
  expect(compileRules({ origins: [ORIGIN], cidrs: [] })?.({ origin, address: undefined })).toBe(breach);
});

test.each([
  ['10.255.255.255', undefined],
  ['::ffff:10.0.0.1', undefined],
  ['::ffff:a00:1', undefined],
  ['192.0.2.7', undefined],
  ['2001:db8:ffff::1', undefined],
  ['9.255.255.255', 'apiKeyAddressRefused'],
  ['11.0.0.0', 'apiKeyAddressRefused'],
  ['192.0.2.8', 'apiKeyAddressRefused'],
  ['2001:db9::1', 'apiKeyAddressRefused'],
  ['nonsense', 'apiKeyAddressRefused'],
  [undefined, 'apiKeyAddressRefused'],
])('where networks are asked for, %s gives %s', (address, breach) => {
  const check = compileRules({ origins: [], cidrs: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] });
  expect(check?.({ origin: undefined, address })).toBe(breach);
});

test('both are asked for where both are given', () => {
  const check = compileRules({ origins: [ORIGIN], cidrs: ['10.0.0.0/8'] });
  expect(check?.({ origin: ORIGIN, address: '10.0.0.1' })).toBeUndefined();
  expect(check?.({ origin: undefined, address: '10.0.0.1' })).toBe('apiKeyOriginRefused');
  expect(check?.({ origin: ORIGIN, address: '11.0.0.1' })).toBe('apiKeyAddressRefused');
});

test('an entry that is no network opens nothing', () => {
  const check = compileRules({ origins: [], cidrs: ['everything'] });
  expect(check?.({ origin: undefined, address: '10.0.0.1' })).toBe('apiKeyAddressRefused');
});

test.each(['0.0.0.0/0', '10.0.0.0/32', '10.0.0.1', '::/0', '::1/128'])('%s is a network', (text) => {
  expect(isCidr(text)).toBe(true);
});

test.each([
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0/8',
  '::/129',
  'fe80::1%eth0',
  '',
])('%s is no network', (text) => {
  expect(isCidr(text)).toBe(false);
});

test.each([
  ['https://app.example', true],
  ['http://localhost:3000', true],
  ['https://app.example/', false],
  ['https://app.example:443', false],
  ['app.example', false],
  ['null', false],
  ['*', false],
])('%s is an origin: %s', (text, expected) => {
  expect(isOrigin(text)).toBe(expected);
});
