import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { BillingNotice } from './billing-notice.ts';

/** Tells somebody of what happened in a transaction, in that transaction: for example by a mail that waits in the store. */
export type Tell = (tx: StoreTransaction, notice: BillingNotice, nowMs: number) => Promise<void>;

/** Tells nobody. */
export const tellNobody: Tell = async () => undefined;

/** Does work in a transaction, and tells of what happened in it. @returns what happened. */
export function inToldTransaction(
  store: Pick<Store, 'transaction'>,
  { tell, nowMs }: { readonly tell: Tell; readonly nowMs: number },
  work: (tx: StoreTransaction) => Promise<readonly BillingNotice[]>,
): Promise<readonly BillingNotice[]> {
  return store.transaction(async (tx) => {
    const notices = await work(tx);
    for (const notice of notices) await tell(tx, notice, nowMs);
    return notices;
  });
}
