import { costWith, INVOICE_THRESHOLD } from '../../account/billing/invoices/terms.ts';
import { ServiceError } from '../../core/service-error.ts';
import { utcMonth } from '../../core/utc-month.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { read, transact, withStore } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Resolves to true if the caller, who cannot pay `wanted` micro-USD from the balance, is invoiced from now on. Accounts whose month stays
 * at or below the threshold are not checked: they send most requests that cannot be paid.
 */
export async function mayPayLater(context: WalletContext, wanted: bigint): Promise<boolean> {
  const { accountId } = context.caller;
  const month = utcMonth(context.clock.nowMs());
  const cost = await read(context, (db) => costWith(db, { accountId, month, wanted }));
  return cost > INVOICE_THRESHOLD && withStore(() => context.payLater(accountId, wanted));
}

/** Runs a transaction that charges the caller. If money is lacking and the caller becomes invoiced, runs it once more. */
export async function transactCharge<T>(
  context: WalletContext,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await transact(context, work);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'balanceInsufficient';
    const wanted = isRefused ? error.context.required : undefined;
    if (typeof wanted === 'bigint' && (await mayPayLater(context, wanted))) return transact(context, work);
    throw error;
  }
}
