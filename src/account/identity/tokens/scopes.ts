import {
  type Scope as AccountScope,
  SCOPES as ACCOUNT_SCOPES,
} from '../../../../generated/account/operations.ts';
import {
  type Scope as WalletScope,
  SCOPES as WALLET_SCOPES,
} from '../../../../generated/wallets/operations.ts';

/** A right of an access token, in any service. */
export type Scope = WalletScope | AccountScope;

export const SCOPES: readonly Scope[] = [...WALLET_SCOPES, ...ACCOUNT_SCOPES];

/** True for a scope of the wallet service. */
export function isWalletScope(scope: Scope): scope is WalletScope {
  return WALLET_SCOPES.some((each) => each === scope);
}
/** The scopes that a token of any account may have. */
export const CUSTOMER_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !isOperatorScope(scope));

/** True when a text is a scope. */
export function isScope(text: unknown): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** True for the scopes that count only while the account operates the server. */
export function isOperatorScope(scope: Scope): boolean {
  return scope.startsWith('operator:');
}
