import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';

/** A billing event of an account, reported once it is committed. */
export type BillingNotice = { readonly accountId: string } & (
  | { readonly kind: 'invoiced' | 'below' | 'prepaid' }
  /** For operators: the account has no credit limit. */
  | { readonly kind: 'threshold' }
  /** It can spend less than an amount that it chose; both in micro-USD. */
  | { readonly kind: 'balance'; readonly threshold: bigint; readonly available: bigint }
  /** An invoice was issued; `due`: the amount left to pay, in micro-USD. */
  | { readonly kind: 'invoice'; readonly number: string; readonly due: bigint; readonly dueOn: string }
);

/** Reports a notice in the transaction that caused it, for example by an email in the outbox. */
export type Tell = (tx: StoreTransaction, notice: BillingNotice, nowMs: number) => Promise<void>;

/** Reports nothing. */
export const tellNobody: Tell = async () => undefined;

/** Does work in a transaction, and reports its notices there. @returns the notices. */
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
