import type { OperationEntry } from '../../../generated/wallets/operations.ts';
import type { TokenDeps } from '../../account/tokens/authenticate-token.ts';
import {
  admitCreation,
  type CreateLimitBook,
  type CallLimitState,
  type CallCounter,
} from '../../account/wallet-create-limit.ts';
import { admitUse, type UseLimitDeps } from '../../account/wallet-use-limit.ts';
import { ServiceError } from '../../base/service-error.ts';

export type AdmitOptions = UseLimitDeps &
  TokenDeps & {
    readonly limits: CreateLimitBook;
    readonly rateLimit: CallCounter;
  };

/**
 * Counts a request against its operation's limit, if it has one.
 *
 * @param onLimits receives the header fields of the answer, for a refusal too (draft-ietf-httpapi-ratelimit-headers-10).
 * @throws ServiceError `walletRateLimited`.
 */
export async function countRequest(
  options: AdmitOptions,
  { rate }: Pick<OperationEntry, 'rate'>,
  accountId: string,
  onLimits: (fields: Readonly<Record<string, string>>) => void,
): Promise<void> {
  if (rate === undefined) return;
  const { policy, admit } = RATES[rate];
  try {
    onLimits(limitFields(policy, await admit(options, accountId)));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'walletRateLimited')
      onLimits(refusalFields(policy, error));
    throw error;
  }
}

type Rate = {
  /** Its name in the rate limit fields. */
  readonly policy: string;
  readonly admit: (options: AdmitOptions, accountId: string) => Promise<CallLimitState>;
};

const RATES: Readonly<Record<NonNullable<OperationEntry['rate']>, Rate>> = {
  wallet_create_limit: { policy: 'wallet-create', admit: admitCreation },
  wallet_use_limit: { policy: 'wallet-use', admit: admitUse },
};

function limitFields(policy: string, { limit, windowSeconds, remaining, resetMs }: CallLimitState) {
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

function refusalFields(policy: string, { context }: ServiceError) {
  const { limit, windowSeconds, retryAfterSeconds } = context;
  const standing = { limit: Number(limit), windowSeconds: Number(windowSeconds), remaining: 0 };
  return limitFields(policy, { ...standing, resetMs: Number(retryAfterSeconds) * 1000 });
}
