import type { UsageQuery } from '../account/read-usage.ts';
import { USAGE_GROUPS, type UsageGroup } from '../account/usage-group.ts';
import { serviceError } from '../base/service-error.ts';

/** A request for usage, checked. */
export type UsageRequest = Pick<UsageQuery, 'sinceMs' | 'by' | 'keyId'> & {
  readonly kind: 'usage';
  /** Name of an account; undefined: all accounts. */
  readonly account: string | undefined;
};

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Checks a request for usage. It is grouped by key unless given.
 *
 * @throws ServiceError `invalidCommand`; `keyNotFound` for a malformed id.
 */
export function readUsageRequest({
  sinceMs,
  by = 'key',
  account,
  id,
}: Readonly<Record<string, unknown>>): UsageRequest {
  if (typeof sinceMs !== 'number' || !Number.isSafeInteger(sinceMs) || sinceMs < 0)
    throw mistake('since must be an instant after 1970, in milliseconds');
  if (!isGroup(by))
    throw mistake(`--by must be one of ${USAGE_GROUPS.join(', ')}, got ${JSON.stringify(by)}`);
  if (id !== undefined && (typeof id !== 'string' || !ID.test(id)))
    throw serviceError('keyNotFound', { id: String(id) });
  return {
    kind: 'usage',
    sinceMs,
    by,
    account: account === undefined ? undefined : String(account),
    keyId: id,
  };
}

function isGroup(by: unknown): by is UsageGroup {
  return USAGE_GROUPS.some((group) => group === by);
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
