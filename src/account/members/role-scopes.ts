import { ROLES } from '../../../generated/account/operations.ts';
import type { Scope } from '../tokens/scopes.ts';
import type { Role } from './sessions.ts';

/** What members with a role may do, as scopes of an access token. */
export function scopesOf(role: Role): readonly Scope[] {
  return ROLES[role];
}
