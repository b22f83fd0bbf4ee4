import { eq } from '../store/drizzle.ts';
import { PLANS } from '../../generated/plans.ts';
import { walletCreateLimits } from '../store/access-tables.ts';
import type { Store } from '../store/open-store.ts';
import { serviceError } from '../base/service-error.ts';
import { announce } from './follow-store.ts';

/** How often an account may call, in the form that a RateLimit of src/gate takes. The same object as long as the figures are the same. */
export type CreateLimit = {
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly burst: number;
};

/** How an account stands. */
export type CreateStanding = {
  /** Calls in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Calls that are left in this window. */
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetMs: number;
};

/** The part of a RateLimit of src/gate that is used. */
export type TakesCalls = {
  readonly take: (
    id: string,
    limit: CreateLimit,
    weight: number,
  ) => Promise<{ readonly isAllowed: boolean; readonly remaining: number; readonly resetMs: number }>;
};

const { requests: DEFAULT_REQUESTS, window_seconds: WINDOW_SECONDS } = PLANS.wallet_create_limit;

/** What processes that follow the limits of a store are told on: the id of an account. */
export const LIMIT_CHANNEL = 'keyslot_wallet_create_limits';

/** How often each account may call the wallet create endpoints, in memory: what spec/plans.yaml says, unless it was raised. */
export class CreateLimitBook {
  readonly #limits = new Map<string, CreateLimit>();
  readonly #byFigure = new Map<number, CreateLimit>();

  /** The limit of an account. */
  limitOf(accountId: string): CreateLimit {
    return this.#limits.get(accountId) ?? this.#ofFigure(DEFAULT_REQUESTS);
  }

  /** Takes in what an account may call in a window; undefined: what the specification says. */
  put(accountId: string, requests: number | undefined): void {
    if (requests === undefined) this.#limits.delete(accountId);
    else this.#limits.set(accountId, this.#ofFigure(requests));
  }

  #ofFigure(requests: number): CreateLimit {
    const known = this.#byFigure.get(requests);
    if (known !== undefined) return known;
    const made = { name: 'wallet-create', requestsPerSecond: requests / WINDOW_SECONDS, burst: requests };
    this.#byFigure.set(requests, made);
    return made;
  }
}

/**
 * Counts one call of a create endpoint, whatever its size.
 * @throws ServiceError `walletRateLimited` with the seconds to wait.
 */
export function admitCreation(
  { limits, rateLimit }: { readonly limits: CreateLimitBook; readonly rateLimit: TakesCalls },
  accountId: string,
): Promise<CreateStanding> {
  return admitCall(rateLimit, accountId, limits.limitOf(accountId), WINDOW_SECONDS);
}

/** Counts one call of an account. @throws ServiceError `walletRateLimited` with the seconds to wait. */
export async function admitCall(
  rateLimit: TakesCalls,
  accountId: string,
  limit: CreateLimit,
  windowSeconds: number,
): Promise<CreateStanding> {
  const { isAllowed, remaining, resetMs } = await rateLimit.take(accountId, limit, 1);
  const figures = { limit: limit.burst, windowSeconds };
  if (isAllowed) return { ...figures, remaining, resetMs };
  const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw serviceError('walletRateLimited', { ...figures, retryAfterSeconds });
}

/** Reads the limits that were raised into a book: all, or that of one account. */
export async function readCreateLimits(
  store: Store,
  limits: CreateLimitBook,
  accountId?: string,
): Promise<void> {
  const wanted = accountId === undefined ? undefined : eq(walletCreateLimits.accountId, accountId);
  const rows = await store.db.select().from(walletCreateLimits).where(wanted);
  if (accountId !== undefined) limits.put(accountId, undefined);
  for (const { accountId: owner, requests } of rows) limits.put(owner, requests);
}

/** Sets how often an account may call in a window of 60 seconds, from its next window on; undefined: as the specification says. */
export async function setCreateLimit(
  { store, limits }: { readonly store: Store; readonly limits: CreateLimitBook },
  accountId: string,
  requests: number | undefined,
): Promise<{ readonly requests: number; readonly windowSeconds: number }> {
  await store.db.transaction(async (tx) => {
    const { accountId: target } = walletCreateLimits;
    if (requests === undefined) await tx.delete(walletCreateLimits).where(eq(target, accountId));
    else
      await tx
        .insert(walletCreateLimits)
        .values({ accountId, requests })
        .onConflictDoUpdate({ target, set: { requests } });
    await announce(tx, LIMIT_CHANNEL, accountId);
  });
  limits.put(accountId, requests);
  return { requests: limits.limitOf(accountId).burst, windowSeconds: WINDOW_SECONDS };
}
