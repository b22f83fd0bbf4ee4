import type { IncomingHttpHeaders } from 'node:http';
import type { OperationEntry } from '../../../generated/wallets/operations.ts';
import type { TokenRing } from '../../account/tokens/token-ring.ts';
import {
  admitCreation,
  type CreateLimitBook,
  type CreateStanding,
  type TakesCalls,
} from '../../account/wallet-create-limit.ts';
import { admitUse, type UseLimitPlaces } from '../../account/wallet-use-limit.ts';
import type { Clock } from '../../clock.ts';
import { ServiceError, serviceError } from '../../service-error.ts';

/** Who asks, with which token. */
export type TokenHolder = { readonly accountId: string; readonly tokenId: string };

export type AdmitOptions = UseLimitPlaces & {
  readonly tokens: TokenRing;
  readonly limits: CreateLimitBook;
  readonly rateLimit: TakesCalls;
  readonly clock: Clock;
};

const BEARER = /^Bearer +([!-~]+) *$/i;

/**
 * Whose request it is, and whether the token is for the operation: looked up in memory, before the body is read.
 *
 * @param tell gets whose token it is, of one that is refused too.
 * @throws ServiceError `tokenMissing`, `tokenUnknown`, `tokenRevoked`, `tokenExpired`, `scopeMissing`.
 */
export function authenticateToken(
  { tokens, clock }: AdmitOptions,
  { authorization = '' }: IncomingHttpHeaders,
  { scopes }: Pick<OperationEntry, 'scopes'>,
  tell: (holder: TokenHolder) => void,
): TokenHolder {
  const presented = BEARER.exec(authorization)?.[1];
  if (presented === undefined) throw serviceError('tokenMissing');
  const finding = tokens.find(presented, clock.nowMs());
  if (finding.kind === 'unknown') throw serviceError('tokenUnknown');
  const holder = { accountId: finding.accountId, tokenId: finding.tokenId };
  tell(holder);
  if (finding.kind === 'revoked') throw serviceError('tokenRevoked');
  if (finding.kind === 'expired') throw serviceError('tokenExpired');
  const missing = scopes.find((scope) => !finding.scopes.has(scope));
  if (missing !== undefined) throw serviceError('scopeMissing', { scope: missing });
  return holder;
}

/**
 * Counts a request for the limit of its operation, if it has one.
 *
 * @param tell gets the fields of the answer's head, for a refusal too (draft-ietf-httpapi-ratelimit-headers-10).
 * @throws ServiceError `walletRateLimited`.
 */
export async function countRequest(
  options: AdmitOptions,
  { rate }: Pick<OperationEntry, 'rate'>,
  accountId: string,
  tell: (fields: Readonly<Record<string, string>>) => void,
): Promise<void> {
  if (rate === undefined) return;
  const { policy, admit } = RATES[rate];
  try {
    tell(limitFields(policy, await admit(options, accountId)));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'walletRateLimited')
      tell(refusalFields(policy, error));
    throw error;
  }
}

type Rate = {
  /** What its fields call it. */
  readonly policy: string;
  readonly admit: (options: AdmitOptions, accountId: string) => Promise<CreateStanding>;
};

const RATES: Readonly<Record<NonNullable<OperationEntry['rate']>, Rate>> = {
  wallet_create_limit: { policy: 'wallet-create', admit: admitCreation },
  wallet_use_limit: { policy: 'wallet-use', admit: admitUse },
};

function limitFields(policy: string, { limit, windowSeconds, remaining, resetMs }: CreateStanding) {
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
