import type { ApiKey as KeyView } from '../../../generated/account/types.ts';
import type { ApiKey } from '../identity/api-keys/api-keys.ts';
import type { LastUse } from '../identity/api-keys/key-uses.ts';

/** Returns an API key as the account service shows it, at this time, and when it was last used. */
export function toKeyView(key: Omit<ApiKey, 'account' | 'accountId'>, nowMs: number, use?: LastUse): KeyView {
  const { id, name, prefix, allowedOrigins, allowedCidrs, createdAt, expiresAt, revokedAt } = key;
  return {
    key_id: id,
    name,
    prefix,
    state: stateOf(key, nowMs),
    allowed_origins: allowedOrigins,
    allowed_cidrs: allowedCidrs,
    created_at: createdAt.toISOString(),
    ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
    ...(use !== undefined && { last_used_at: use.at.toISOString() }),
    ...(use?.address !== undefined && { last_used_address: use.address }),
    ...(revokedAt === null ? {} : { revoked_at: revokedAt.toISOString() }),
  };
}

function stateOf(
  { expiresAt, endsWithToken, revokedAt }: Pick<ApiKey, 'expiresAt' | 'endsWithToken' | 'revokedAt'>,
  nowMs: number,
) {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  if (expiresAt.getTime() <= nowMs) return 'expired';
  return endsWithToken ? 'active' : 'rotated';
}
