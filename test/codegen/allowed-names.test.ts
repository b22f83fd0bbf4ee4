import { expect, it } from 'vitest';
import { allowedNames } from '../../codegen/lint/allowed-names.ts';

const SCOPES = ['wallets:create', 'wallets:read'];

it('lists the names that are allowed, and guesses which was meant', () => {
  expect(allowedNames('wallet:read', SCOPES)).toBe(
    ' (did you mean wallets:read?): allowed are wallets:create, wallets:read',
  );
  expect(allowedNames('anything', SCOPES)).toBe(': allowed are wallets:create, wallets:read');
});

it('lists 24 names, and of more the 6 closest with the number of the rest', () => {
  const names = Array.from({ length: 25 }, (_, index) => `n${index}`);
  expect(allowedNames('n7', names.slice(0, 24))).toContain(`: allowed are ${names.slice(0, 24).join(', ')}`);
  expect(allowedNames('n7', names)).toMatch(/: allowed are n7(, n\d+){5} and 19 more$/);
});

it('says where there is nothing to choose from', () => {
  expect(allowedNames('anything', [])).toBe(': none is allowed here');
});
