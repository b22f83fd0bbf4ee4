import { isRefused } from '../store/expectation.ts';
import type { StoreTransaction } from '../store/open-store.ts';
import { withStoreFaults } from '../store/store-errors.ts';
import type { BeginTogether } from '../store/together.ts';
import type { WalletPlaces } from './wallet-places.ts';

/** What a failure of the store is told of; the driver's own text would repeat all that was to be stored. */
const WHERE = 'the wallet service';

/** Runs a transaction. @throws ServiceError `storeUnavailable`, and what `work` throws: nothing is committed then. */
export function transact<T>(
  { store }: Pick<WalletPlaces, 'store'>,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  return withStore(() => store.db.transaction(work));
}

/** Reads from the store, outside a transaction. @throws ServiceError `storeUnavailable`. */
export function read<T>(
  { store }: Pick<WalletPlaces, 'store'>,
  query: (db: WalletPlaces['store']['db']) => Promise<T>,
): Promise<T> {
  return withStore(() => query(store.db));
}

/**
 * Carries out statements with one way to the store and back (see `Store.together`). @throws ServiceError `storeUnavailable`, and what a
 * promise of `begin` rejects with by itself.
 */
export function together<T extends readonly unknown[]>(
  { store }: Pick<WalletPlaces, 'store'>,
  begin: BeginTogether<T>,
): Promise<T> {
  return withStore(() => store.together(begin));
}

/**
 * The same for statements that expect what they change to be as it was last seen. The embedded store only: nobody else writes there, and
 * each disappointment would be an error in the log of a PostgreSQL.
 *
 * @returns undefined where something was not as expected, or PostgreSQL refused it otherwise, which going step by step will tell; nothing is
 *   done then. @throws ServiceError `storeUnavailable`.
 */
export function tryTogether<T extends readonly unknown[]>(
  { store }: Pick<WalletPlaces, 'store'>,
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

/** Does what the store is needed for. @throws ServiceError `storeUnavailable` or `storeRefused` in the place of its own errors. */
export function withStore<T>(work: () => Promise<T>): Promise<T> {
  return withStoreFaults(WHERE, work);
}
