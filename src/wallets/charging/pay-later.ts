import { chargedIn, INVOICE_THRESHOLD } from '../../account/billing/terms.ts';
import { ServiceError } from '../../base/service-error.ts';
import { utcMonth } from '../../base/utc-month.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { read, transact, withStore } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Resolves to true if the caller, who cannot pay from the balance, is invoiced from now on. Accounts below their threshold are not looked
 * at: most requests that cannot be paid are of those.
 */
export async function mayPayLater(context: WalletContext): Promise<boolean> {
  const { accountId } = context.caller;
  const charged = await read(context, (db) => chargedIn(db, accountId, utcMonth(context.clock.nowMs())));
  return charged > INVOICE_THRESHOLD && withStore(() => context.payLater(accountId));
}

/** Runs a transaction that charges the caller: once more if that failed for want of money, and the caller is invoiced from now on. */
export async function transactCharge<T>(
  context: WalletContext,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await transact(context, work);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'balanceInsufficient';
    if (isRefused && (await mayPayLater(context))) return transact(context, work);
    throw error;
  }
}
