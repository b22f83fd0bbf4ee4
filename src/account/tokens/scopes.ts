import { type Scope, SCOPES } from '../../../generated/wallets/operations.ts';

export { type Scope, SCOPES } from '../../../generated/wallets/operations.ts';

/** True when a text is a scope. */
export function isScope(text: unknown): text is Scope {
  return SCOPES.some((scope) => scope === text);
}
