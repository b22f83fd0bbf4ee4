import { ROLES } from '../../../../generated/account/operations.ts';
import type { Scope } from '../tokens/scopes.ts';
import { isOperatorScope } from '../tokens/scopes.ts';
import type { SessionHolder } from './sessions.ts';

/** Returns the rights of a session, as scopes of an access token: those of an operator only in an account that operates the server. */
export function scopesOf({ role, operates }: Pick<SessionHolder, 'role' | 'operates'>): readonly Scope[] {
  return ROLES[role].filter((scope) => operates || !isOperatorScope(scope));
}
