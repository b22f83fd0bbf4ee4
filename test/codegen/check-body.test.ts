import { describe, expect, it } from 'vitest';
import { BODY_CHECKS } from '../../generated/wallets/body-checks.js';
import { checkAgainstBody } from '../../runtime/check-body.ts';
import { isHeaderValue } from '../../generated/wallets/operations.ts';

const checkBody = (operation: keyof typeof BODY_CHECKS, value: unknown) =>
  checkAgainstBody(BODY_CHECKS[operation], value);

const problems = (...args: Parameters<typeof checkBody>) => {
  const checked = checkBody(...args);
  return checked.kind === 'problems' ? checked.problems : [];
};
const SECRET = 'legal winner thank year';

describe('checkBody', () => {
  it('fills in defaults and leaves the value as it was', () => {
    const value = { accounts: { count: 2 } };
    expect(checkBody('createHdWallets', value)).toEqual({
      kind: 'body',
      body: { accounts: { start: 0, count: 2 }, change: { start: 0, count: 1 } },
    });
    expect(value).toEqual({ accounts: { count: 2 } });
    expect(checkBody('createWallet', {})).toEqual({ kind: 'body', body: { custody: 'client' } });
  });

  it('names every fault with its place, limit and value', () => {
    expect(problems('createWalletBatch', { count: 10_001, custody: 'mine', formt: 'csv' })).toEqual([
      { pointer: '/formt', detail: 'is not a member of this body' },
      { pointer: '/count', detail: 'must be at most 10000', limit: 10_000, value: 10_001 },
      { pointer: '/custody', detail: 'must be client or managed', value: 'mine' },
    ]);
    expect(problems('createWalletBatch', {})).toEqual([{ pointer: '/count', detail: 'is required' }]);
    expect(problems('createHdWallets', { change: { start: 2_147_483_647, count: 2 } })).toEqual([
      {
        pointer: '/change/count',
        detail: 'start and count go beyond the last index',
        limit: 2_147_483_647,
        value: 2_147_483_648,
      },
    ]);
  });

  it('says why members exclude each other', () => {
    expect(problems('createWallet', { custody: 'managed', mnemonic_words: 12 })).toEqual([
      {
        pointer: '/mnemonic_words',
        detail:
          'cannot be used with custody managed: the mnemonic would reveal a key that must not leave the key backend',
      },
    ]);
    expect(problems('createHdWallets', { custody: 'client', master_wallet_id: 'w_1' })).toEqual([
      { pointer: '/custody', detail: 'client cannot be used with master_wallet_id: the master is managed' },
    ]);
  });

  it.each([[null], [[]], ['text'], [7], [undefined]])('refuses %o as a body', (value) => {
    expect(problems('createWallet', value)).toEqual([{ pointer: '', detail: 'must be an object' }]);
  });

  it('counts characters as people do', () => {
    expect(problems('createWallet', { label: '😀'.repeat(100) })).toEqual([]);
    expect(problems('createWallet', { label: '😀'.repeat(101) })).toEqual([
      { pointer: '/label', detail: 'must have at most 100 characters', limit: 100, value: 101 },
    ]);
  });

  it('tells nothing of a secret, even where it stands in the wrong place', () => {
    const told = JSON.stringify([
      problems('createHdWallets', { mnemonic: SECRET.repeat(100), custody: SECRET }),
      problems('createHdWallets', { mnemonic: 4711, passphrase: 4711 }),
      problems('createHdWallets', { format: SECRET }),
    ]);
    expect(told).not.toContain('winner');
    expect(told).not.toContain('4711');
    expect(told).not.toContain('2300');
  });

  it('takes members of the prototype for what they are: unknown', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const body: unknown = JSON.parse(`{"${name}": {"custody": "managed"}}`);
      expect(problems('createWallet', body)).toEqual([
        { pointer: `/${name}`, detail: 'is not a member of this body' },
      ]);
    }
  });

  it('bears what is nested deep and what has many faults', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
    expect(problems('createWallet', deep)).toEqual([
      { pointer: '/a', detail: 'is not a member of this body' },
    ]);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${index}`, index]));
    expect(problems('createWallet', many)).toHaveLength(32);
    expect(problems('createWallet', { ['a/~'.repeat(100)]: 1 })[0]?.pointer.length).toBeLessThan(150);
  });
});

describe('isHeaderValue', () => {
  it.each([
    ['a'.repeat(255), true],
    ['a'.repeat(256), false],
    ['', false],
    ['with a space', false],
    ['ä', false],
  ] as const)('an idempotency key %j: %s', (key, is) => {
    expect(isHeaderValue('Idempotency-Key', key)).toBe(is);
  });

  it.each([
    ['012345', true],
    ['12345', false],
    ['1234567', false],
    ['123 456', true],
    ['1-2 3--4\t56 ', true],
    ['123.456', false],
    ['１２３４５６', false],
  ] as const)('a code %j: %s', (code, is) => {
    expect(isHeaderValue('X-Two-Factor-Code', code)).toBe(is);
  });
});
