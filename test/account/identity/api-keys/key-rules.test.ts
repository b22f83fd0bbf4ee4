import fc from 'fast-check';
import { expect, test } from 'vitest';
import { METHOD_GROUPS } from '../../../../generated/ledger/groups.ts';
import { METHOD_GROUPS as CHEAT_GROUPS } from '../../../../generated/localnet/groups.ts';
import { TOPICS } from '../../../../generated/stream/topics.ts';
import { isCidr } from '../../../../src/core/cidr.ts';
import {
  compileCallRules,
  compileRules,
  isMethodRule,
  isOrigin,
} from '../../../../src/account/identity/api-keys/key-rules.ts';

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

test('each call is in one group, and whatever the rules, a call is allowed by its name or its group alone', () => {
  const groups: Readonly<Record<string, readonly string[]>> = {
    read: [...METHOD_GROUPS.read, ...CHEAT_GROUPS.read],
    send: [...METHOD_GROUPS.send, ...CHEAT_GROUPS.send],
    subscribe: [
      ...METHOD_GROUPS.subscribe,
      ...['ListTopics', 'GetTopicSchema'],
      ...Object.keys(TOPICS).map((topic) => `Subscribe.${topic}`),
    ],
  };
  const calls = Object.values(groups).flat();
  expect(new Set(calls).size).toBe(calls.length);
  expect(METHOD_GROUPS.send).toEqual(['requestAirdrop', 'sendTransaction']);
  const rule = fc.constantFrom(...Object.keys(groups), ...calls);
  const anything = fc.oneof(
    fc.constantFrom(...calls),
    fc.string(),
    rule.map((text) => `${text} `),
  );
  fc.assert(
    fc.property(fc.uniqueArray(rule, { minLength: 1, maxLength: 8 }), anything, (methods, call) => {
      const isNamed = methods.includes(call) && calls.includes(call);
      const isOfGroup = Object.entries(groups).some(
        ([group, members]) => methods.includes(group) && members.includes(call),
      );
      const begun = call.replace(/Unsubscribe$/, 'Subscribe');
      const isEnd = call !== begun && methods.includes(begun);
      expect(compileCallRules('k', { methods })?.methods?.has(call)).toBe(isNamed || isOfGroup || isEnd);
    }),
  );
});

test.each(['read', 'getBalance', 'rpc.discover', 'slotSubscribe', 'Subscribe.slots', 'localnet_trace'])(
  '%s is a rule for methods',
  (text) => expect(isMethodRule(text)).toBe(true),
);

test.each(['', 'Read', 'getbalance', 'getBalance ', 'Subscribe', 'Subscribe.none', 'toString', '__proto__'])(
  '%j is no rule for methods',
  (text) => expect(isMethodRule(text)).toBe(false),
);
