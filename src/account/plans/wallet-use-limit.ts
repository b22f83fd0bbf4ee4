import { eq } from '../../store/drizzle.ts';
import { PLANS } from '../../../generated/plans.ts';
import { walletUseLimits } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { announce } from '../../store/follow-store.ts';
import { countCall, type CallLimit, type CallLimitState, type CallCounter } from './count-call.ts';

const { window_seconds: WINDOW_SECONDS } = PLANS.wallet_use_limit;

/** Channel that notifies processes of changed limits: the id of an account. */
export const USE_LIMIT_CHANNEL = 'keyslot_wallet_use_limits';

/** Limits of each account for using managed wallets per window, in memory, if they differ from the plan's. */
export class UseLimitBook {
  readonly #raised = new Map<string, number>();
  readonly #byFigure = new Map<number, CallLimit>();

  /** Returns the limit of an account whose plan has this many requests per second. */
  limitOf(accountId: string, requestsPerSecond: number): CallLimit {
    const requests = this.#raised.get(accountId) ?? requestsPerSecond * WINDOW_SECONDS;
    const known = this.#byFigure.get(requests);
    if (known !== undefined) return known;
    const made = { name: 'wallet-use', requestsPerSecond: requests / WINDOW_SECONDS, burst: requests };
    this.#byFigure.set(requests, made);
    return made;
  }

  /** Sets the calls per window of an account; undefined: the plan's limit. */
  put(accountId: string, requests: number | undefined): void {
    if (requests === undefined) this.#raised.delete(accountId);
    else this.#raised.set(accountId, requests);
  }
}

export type UseLimitDeps = {
  readonly useLimits: UseLimitBook;
  readonly useRateLimit: CallCounter;
  readonly planOf: (accountId: string) => { readonly requestsPerSecond: number };
};

/**
 * Counts one call that fetches, signs with or destroys a wallet.
 * @throws ServiceError `walletRateLimited` with the seconds to wait.
 */
export function admitUse(deps: UseLimitDeps, accountId: string): Promise<CallLimitState> {
  return countCall(deps.useRateLimit, accountId, useLimitOf(deps, accountId), WINDOW_SECONDS);
}

/** Returns the limit of an account under its plan. */
export function useLimitOf({ useLimits, planOf }: UseLimitDeps, accountId: string): CallLimit {
  return useLimits.limitOf(accountId, planOf(accountId).requestsPerSecond);
}

/** Reads the limits that differ from plans into a book: all, or that of one account. */
export async function readUseLimits(
  store: Store,
  useLimits: UseLimitBook,
  accountId?: string,
): Promise<void> {
  const wanted = accountId === undefined ? undefined : eq(walletUseLimits.accountId, accountId);
  const rows = await store.db.select().from(walletUseLimits).where(wanted);
  if (accountId !== undefined) useLimits.put(accountId, undefined);
  for (const { accountId: owner, requests } of rows) useLimits.put(owner, requests);
}

/** Sets the calls of an account that use wallets per window, from its next call on; undefined: the plan's limit. */
export async function setUseLimit(
  {
    store,
    useLimits,
    record,
  }: { readonly store: Store; readonly useLimits: UseLimitBook; readonly record?: RecordChange | undefined },
  accountId: string,
  requests: number | undefined,
): Promise<{ readonly requests: number | null; readonly windowSeconds: number }> {
  await store.transaction(async (tx) => {
    await writeUseLimit(tx, accountId, requests);
    await record?.(tx, accountId);
  });
  useLimits.put(accountId, requests);
  return { requests: requests ?? null, windowSeconds: WINDOW_SECONDS };
}

/** Writes the limit of an account; it applies once the transaction has committed and the book has it. */
export async function writeUseLimit(
  tx: StoreTransaction,
  accountId: string,
  requests: number | undefined,
): Promise<void> {
  const { accountId: target } = walletUseLimits;
  if (requests === undefined) await tx.delete(walletUseLimits).where(eq(target, accountId));
  else
    await tx
      .insert(walletUseLimits)
      .values({ accountId, requests })
      .onConflictDoUpdate({ target, set: { requests } });
  await announce(tx, USE_LIMIT_CHANNEL, accountId);
}
