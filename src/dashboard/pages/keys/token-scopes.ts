import type { Scope } from '../../../../generated/account/types.ts';

/** Every scope that a token may have; the compiler holds it against the specification. */
const TOKEN_SCOPES: Readonly<Record<Scope, true>> = {
  'account:read': true,
  'keys:manage': true,
  'tokens:manage': true,
  'wallets:create': true,
  'wallets:read': true,
  'wallets:sign': true,
  'wallets:destroy': true,
};

/** True for the scopes that a token may have; those of sessions alone are not among them. */
export function isTokenScope(scope: unknown): scope is Scope {
  return typeof scope === 'string' && Object.hasOwn(TOKEN_SCOPES, scope);
}
