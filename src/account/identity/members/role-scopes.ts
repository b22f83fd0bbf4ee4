import { OPERATIONS, ROLES } from '../../../../generated/account/operations.ts';
import type { Scope } from '../tokens/scopes.ts';
import { isOperatorScope } from '../tokens/scopes.ts';
import type { SessionHolder } from './sessions.ts';

/** Returns the rights of a session, as scopes of an access token: those of an operator only in an account that operates the server. */
export function scopesOf({ role, operates }: Pick<SessionHolder, 'role' | 'operates'>): readonly Scope[] {
  return ROLES[role].filter((scope) => operates || !isOperatorScope(scope));
}

/**
 * True if a member of the role may give a scope to a token. A token has no role, so this takes a role that may call every operation of the
 * scope.
 */
export function mayGrant(role: SessionHolder['role'], scope: Scope): boolean {
  return Object.values(OPERATIONS).every(
    ({ auth, scopes, roles }) =>
      !includes(auth, 'token') || !includes(scopes, scope) || includes(roles, role),
  );
}

function includes(list: readonly string[], one: string): boolean {
  return list.includes(one);
}
