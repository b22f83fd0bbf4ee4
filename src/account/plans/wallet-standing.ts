import { PLANS } from '../../../generated/plans.ts';
import type { CreateLimitBook } from './wallet-create-limit.ts';
import type { CallCounter, CallLimitState, CallLimit } from './count-call.ts';
import type { UseLimitBook } from './wallet-use-limit.ts';

/** The part of a RateLimit of src/server/access that is used. */
type LookedAt = {
  readonly look: (
    id: string,
    limit: CallLimit,
  ) => Promise<{ readonly remaining: number; readonly resetMs: number }>;
};

export type WalletStandingOptions = {
  readonly limits: CreateLimitBook;
  readonly rateLimit: CallCounter & LookedAt;
  readonly useLimits: UseLimitBook;
  readonly useRateLimit: CallCounter & LookedAt;
  readonly planOf: (accountId: string) => { readonly requestsPerSecond: number };
};

/** The allowances of an account in the wallet service, on this server. */
export type WalletStanding = { readonly create: CallLimitState; readonly use: CallLimitState };

/** Creates the function that returns the allowances of an account. It counts nothing. */
export function createWalletStanding(
  options: WalletStandingOptions,
): (accountId: string) => Promise<WalletStanding> {
  const { limits, rateLimit, useLimits, useRateLimit, planOf } = options;
  const { wallet_create_limit: create, wallet_use_limit: use } = PLANS;
  return async (accountId) => {
    const createLimit = limits.limitOf(accountId);
    const useLimit = useLimits.limitOf(accountId, planOf(accountId).requestsPerSecond);
    return {
      create: {
        limit: createLimit.burst,
        windowSeconds: create.window_seconds,
        ...left(await rateLimit.look(accountId, createLimit)),
      },
      use: {
        limit: useLimit.burst,
        windowSeconds: use.window_seconds,
        ...left(await useRateLimit.look(accountId, useLimit)),
      },
    };
  };
}

function left({ remaining, resetMs }: Pick<CallLimitState, 'remaining' | 'resetMs'>) {
  return { remaining, resetMs };
}
