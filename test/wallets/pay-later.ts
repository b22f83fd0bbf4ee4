import { crossNow } from '../../src/account/billing/invoices/run-billing.ts';
import { readTerms } from '../../src/account/billing/invoices/terms.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Store } from '../../src/store/open-store.ts';
import type { WalletDeps } from '../../src/wallets/wallet-deps.ts';

/** Makes accounts invoiced as a server does, which tells their members too. */
export function createPayLater(store: Store, clock: Pick<Clock, 'nowMs'>): WalletDeps['payLater'] {
  return async (accountId, wanted = 0n) => {
    await crossNow(store, accountId, clock.nowMs(), { wanted });
    return (await readTerms(store.db, accountId)).invoicedSince !== undefined;
  };
}
