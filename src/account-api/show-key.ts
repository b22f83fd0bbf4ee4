import type { ApiKey as ShownKey } from '../../generated/account/types.ts';
import type { ApiKey } from '../account/api-keys.ts';

/** Returns an API key as the account service shows it, at this time. */
export function showKey(key: Omit<ApiKey, 'account' | 'accountId'>, nowMs: number): ShownKey {
  const { id, name, prefix, allowedOrigins, allowedCidrs, createdAt, expiresAt, revokedAt } = key;
  return {
    ...{ key_id: id, name, prefix, state: stateOf(key, nowMs) },
    ...{ allowed_origins: allowedOrigins, allowed_cidrs: allowedCidrs, created_at: createdAt.toISOString() },
    ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
    ...(revokedAt === null ? {} : { revoked_at: revokedAt.toISOString() }),
  };
}

function stateOf({ expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, nowMs: number) {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  return expiresAt.getTime() <= nowMs ? 'expired' : 'rotated';
}
