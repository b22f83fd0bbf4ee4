import { isRefused } from '../store/expectation.ts';
import type { Store } from '../store/open-store.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { withStoreFaults } from '../store/store-errors.ts';
import type { BeginTogether } from '../store/together.ts';

/** Subject of store failures; the driver's own text would repeat all values that were to be stored. */
const WHERE = 'the wallet service';

type InStore = { readonly store: Store };

/** Runs a transaction. @throws ServiceError `storeUnavailable`, and any error of `work`: nothing is committed then. */
export function transact<T>({ store }: InStore, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  return withStore(() => store.transaction(work));
}

/** Reads from the store, outside a transaction. @throws ServiceError `storeUnavailable`. */
export function read<T>({ store }: InStore, query: (db: Store['db']) => Promise<T>): Promise<T> {
  return withStore(() => query(store.db));
}

/**
 * Runs statements in one round trip to the store (see `Store.together`). @throws ServiceError `storeUnavailable`, and any other rejection
 * of a promise of `begin`.
 */
export function together<T extends readonly unknown[]>(
  { store }: InStore,
  begin: BeginTogether<T>,
): Promise<T> {
  return withStore(() => store.together(begin));
}

/**
 * As `together`, for statements that expect the rows they change to be as last seen. The embedded store only: nobody else writes there, and
 * each mismatch would be an error in the log of a PostgreSQL.
 *
 * @returns undefined if something was not as expected, or PostgreSQL refused it for another reason, which going step by step reveals;
 *   nothing is done then. @throws ServiceError `storeUnavailable`.
 */
export function tryTogether<T extends readonly unknown[]>(
  { store }: InStore,
  begin: BeginTogether<T>,
): Promise<T | undefined> {
  if (store.kind !== 'pglite') return Promise.resolve(undefined);
  return withStore(async () => {
    try {
      return await store.together(begin);
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw error;
    }
  });
}

/** Runs work that needs the store. @throws ServiceError `storeUnavailable` or `storeRefused` instead of the store's own errors. */
export function withStore<T>(work: () => Promise<T>): Promise<T> {
  return withStoreFaults(WHERE, work);
}
