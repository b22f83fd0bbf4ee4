import { ServiceError } from '../../base/service-error.ts';
import type { CallLimitState } from '../../account/wallet-create-limit.ts';
import type { RateLimited } from './rest-service.ts';

/**
 * Counts a request against a limit.
 *
 * @param setFields gets the header fields of the answer, for a refusal too (draft-ietf-httpapi-ratelimit-headers-10).
 * @throws ServiceError the refusal of the limit.
 */
export async function countRequest(
  { policy, refusal, admit }: RateLimited,
  accountId: string,
  setFields: (fields: Readonly<Record<string, string>>) => void,
): Promise<void> {
  try {
    setFields(limitFields(policy, await admit(accountId)));
  } catch (error) {
    if (error instanceof ServiceError && error.code === refusal) setFields(refusalFields(policy, error));
    throw error;
  }
}

function limitFields(policy: string, { limit, windowSeconds, remaining, resetMs }: CallLimitState) {
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

function refusalFields(policy: string, { context }: ServiceError) {
  const { limit, windowSeconds, retryAfterSeconds } = context;
  const state = { limit: Number(limit), windowSeconds: Number(windowSeconds), remaining: 0 };
  return limitFields(policy, { ...state, resetMs: Number(retryAfterSeconds) * 1000 });
}
