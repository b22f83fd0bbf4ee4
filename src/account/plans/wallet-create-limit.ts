import { eq } from '../../store/drizzle.ts';
import { PLANS } from '../../../generated/plans.ts';
import { walletCreateLimits } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { announce } from '../../store/follow-store.ts';
import { type CallCounter, type CallLimit, type CallLimitState, countCall } from './count-call.ts';

const { requests: DEFAULT_REQUESTS, window_seconds: WINDOW_SECONDS } = PLANS.wallet_create_limit;

/** Channel that notifies processes of changed limits: the id of an account. */
export const LIMIT_CHANNEL = 'keyslot_wallet_create_limits';

/** Limits of each account for the wallet create endpoints, in memory: that of spec/plans.yaml, unless it was raised. */
export class CreateLimitBook {
  readonly #limits = new Map<string, CallLimit>();
  readonly #byFigure = new Map<number, CallLimit>();

  /** Returns the limit of an account. */
  limitOf(accountId: string): CallLimit {
    return this.#limits.get(accountId) ?? this.#ofFigure(DEFAULT_REQUESTS);
  }

  /** Sets the calls per window of an account; undefined: the specification's limit. */
  put(accountId: string, requests: number | undefined): void {
    if (requests === undefined) this.#limits.delete(accountId);
    else this.#limits.set(accountId, this.#ofFigure(requests));
  }

  #ofFigure(requests: number): CallLimit {
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
  { limits, rateLimit }: { readonly limits: CreateLimitBook; readonly rateLimit: CallCounter },
  accountId: string,
): Promise<CallLimitState> {
  return countCall(rateLimit, accountId, limits.limitOf(accountId), WINDOW_SECONDS);
}

/** Reads the raised limits into a book: all, or that of one account. */
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

/** Sets the calls of an account per window of 60 seconds, from its next call on; undefined: the specification's limit. */
export async function setCreateLimit(
  {
    store,
    limits,
    record,
  }: { readonly store: Store; readonly limits: CreateLimitBook; readonly record?: RecordChange | undefined },
  accountId: string,
  requests: number | undefined,
): Promise<{ readonly requests: number; readonly windowSeconds: number }> {
  await store.transaction(async (tx) => {
    await writeCreateLimit(tx, accountId, requests);
    await record?.(tx, accountId);
  });
  limits.put(accountId, requests);
  return { requests: limits.limitOf(accountId).burst, windowSeconds: WINDOW_SECONDS };
}

/** Writes the limit of an account; it applies once the transaction has committed and the book has it. */
export async function writeCreateLimit(
  tx: StoreTransaction,
  accountId: string,
  requests: number | undefined,
): Promise<void> {
  const { accountId: target } = walletCreateLimits;
  if (requests === undefined) await tx.delete(walletCreateLimits).where(eq(target, accountId));
  else
    await tx
      .insert(walletCreateLimits)
      .values({ accountId, requests })
      .onConflictDoUpdate({ target, set: { requests } });
  await announce(tx, LIMIT_CHANNEL, accountId);
}
