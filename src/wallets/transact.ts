import type { StoreTransaction } from '../store/open-store.ts';
import { withStoreErrors } from '../store/store-errors.ts';
import type { WalletPlaces } from './wallet-context.ts';

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

/** Does what the store is needed for. @throws ServiceError `storeUnavailable` in the place of its own errors. */
export function withStore<T>(work: () => Promise<T>): Promise<T> {
  return withStoreErrors(WHERE, work);
}
