import { crossNow } from '../../src/account/billing/cross-thresholds.ts';
import { readTerms } from '../../src/account/billing/terms.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Store } from '../../src/store/open-store.ts';
import type { WalletDeps } from '../../src/wallets/wallet-deps.ts';

/** Makes accounts invoiced as a server does, which tells their members too. */
export function createPayLater(store: Store, clock: Pick<Clock, 'nowMs'>): WalletDeps['payLater'] {
  return async (accountId) => {
    await crossNow(store, accountId, clock.nowMs());
    return (await readTerms(store.db, accountId)).invoicedSince !== undefined;
  };
}
