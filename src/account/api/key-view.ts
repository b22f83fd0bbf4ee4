import type { ApiKey as KeyView } from '../../../generated/account/types.ts';
import { type ApiKey, stateOfKey } from '../identity/api-keys/api-keys.ts';
import { endOf } from '../identity/api-keys/key-rules.ts';
import type { LastUse } from '../identity/api-keys/key-uses.ts';

/** Returns an API key as the account service shows it, at this time, and when it was last used. */
export function toKeyView(key: Omit<ApiKey, 'account' | 'accountId'>, nowMs: number, use?: LastUse): KeyView {
  const { id, name, prefix, createdAt, revokedAt, requestsPerSecond, requestsPerDay } = key;
  const end = endOf(key);
  return {
    key_id: id,
    name,
    prefix,
    state: stateOfKey(key, nowMs),
    allowed_origins: key.allowedOrigins,
    allowed_cidrs: key.allowedCidrs,
    allowed_networks: key.allowedNetworks,
    allowed_methods: key.allowedMethods,
    ...(requestsPerSecond !== null && { requests_per_second: requestsPerSecond }),
    ...(requestsPerDay !== null && { requests_per_day: requestsPerDay }),
    created_at: createdAt.toISOString(),
    ...(end !== null && { expires_at: end.toISOString() }),
    ...(use !== undefined && { last_used_at: use.at.toISOString() }),
    ...(use?.address !== undefined && { last_used_address: use.address }),
    ...(revokedAt === null ? {} : { revoked_at: revokedAt.toISOString() }),
  };
}
