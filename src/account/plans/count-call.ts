import { serviceError } from '../../core/service-error.ts';

/** Limit of calls per account, in the form that a RateLimit of src/server/access takes. The same object as long as the figures are the same. */
export type CallLimit = {
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly burst: number;
};

/** An account's state against its limit. */
export type CallLimitState = {
  /** Calls per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Calls left now. */
  readonly remaining: number;
  /** Milliseconds until all calls are left again, if none is made meanwhile. */
  readonly resetMs: number;
};

/** The part of a RateLimit of src/server/access that is used. */
export type CallCounter = {
  readonly take: (
    id: string,
    limit: CallLimit,
    weight: number,
  ) => Promise<{
    readonly isAllowed: boolean;
    readonly remaining: number;
    readonly resetMs: number;
    readonly retryMs: number;
  }>;
};

/** Counts one call of an account. @throws ServiceError `refusal` with the seconds to wait. */
export async function countCall(
  rateLimit: CallCounter,
  accountId: string,
  limit: CallLimit,
  windowSeconds: number,
  refusal: 'walletRateLimited' | 'accountRateLimited' = 'walletRateLimited',
): Promise<CallLimitState> {
  const { isAllowed, remaining, resetMs, retryMs } = await rateLimit.take(accountId, limit, 1);
  const figures = { limit: limit.burst, windowSeconds };
  if (isAllowed) return { ...figures, remaining, resetMs };
  const retryAfterSeconds = Math.max(1, Math.ceil(retryMs / 1000));
  throw serviceError(refusal, { ...figures, retryAfterSeconds });
}

/** Charges the weight of a request that was let in and then refused, or all that is left of its account's limit. */
export async function chargeRefused(
  rateLimit: CallCounter,
  accountId: string,
  limit: CallLimit,
  weight: number,
): Promise<void> {
  const { isAllowed, remaining } = await rateLimit.take(accountId, limit, Math.min(weight, limit.burst));
  if (!isAllowed && remaining >= 1) await rateLimit.take(accountId, limit, Math.floor(remaining));
}
