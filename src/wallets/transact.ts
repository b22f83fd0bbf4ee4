import type { Store } from '../store/open-store.ts';
import type { BeginBatch, StoreTransaction } from '../store/transaction.ts';
import { withStoreFaults } from '../store/store-errors.ts';

/** Subject of store failures; the driver's own text would repeat the values of the statement. */
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
 * Runs statements in one round trip to the store (see `Store.batched`). @throws ServiceError `storeUnavailable`, and any other rejection
 * of a promise of `begin`.
 */
export function batched<T extends readonly unknown[]>({ store }: InStore, begin: BeginBatch<T>): Promise<T> {
  return withStore(() => store.batched(begin));
}

/** Runs work that needs the store. @throws ServiceError `storeUnavailable` or `storeRefused` instead of the store's own errors. */
export function withStore<T>(work: () => Promise<T>): Promise<T> {
  return withStoreFaults(WHERE, work);
}
