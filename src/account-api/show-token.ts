import type { AccessToken as ShownToken } from '../../generated/account/types.ts';
import type { OwnToken } from '../account/tokens/access-tokens.ts';
import { isScope } from '../account/tokens/scopes.ts';

/** Returns an access token as the account service shows it, at this time. */
export function showToken(token: OwnToken, nowMs: number): ShownToken {
  const { id, name, prefix, scopes, createdAt, expiresAt, revokedAt } = token;
  return {
    ...{ token_id: id, name, prefix, scopes: scopes.filter(isScope), state: stateOf(token, nowMs) },
    created_at: createdAt.toISOString(),
    ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
    ...(revokedAt === null ? {} : { revoked_at: revokedAt.toISOString() }),
  };
}

function stateOf({ expiresAt, revokedAt }: Pick<OwnToken, 'expiresAt' | 'revokedAt'>, nowMs: number) {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'expired' : 'active';
}
