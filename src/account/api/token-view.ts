import type { AccessToken as ShownToken } from '../../../generated/account/types.ts';
import type { LastUse } from '../identity/api-keys/key-uses.ts';
import type { OwnToken } from '../identity/tokens/access-tokens.ts';
import { isScope } from '../identity/tokens/scopes.ts';

/** Returns an access token as the account service shows it, at this time, and when it was last used. */
export function toTokenView(token: OwnToken, nowMs: number, use?: LastUse): ShownToken {
  const { id, name, prefix, scopes, createdAt, expiresAt, revokedAt } = token;
  return {
    token_id: id,
    name,
    prefix,
    scopes: scopes.filter(isScope),
    state: stateOf(token, nowMs),
    created_at: createdAt.toISOString(),
    ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
    ...(use !== undefined && { last_used_at: use.at.toISOString() }),
    ...(use?.address !== undefined && { last_used_address: use.address }),
    ...(revokedAt === null ? {} : { revoked_at: revokedAt.toISOString() }),
  };
}

function stateOf({ expiresAt, revokedAt }: Pick<OwnToken, 'expiresAt' | 'revokedAt'>, nowMs: number) {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'expired' : 'active';
}
