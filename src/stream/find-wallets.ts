import { anyOf } from '../store/any-of.ts';
import { and, eq } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { wallets } from '../store/wallet-tables.ts';
import type { AccountView, OwnWallet } from './account-view.ts';

/** Maximum number of addresses per query. */
const CHUNK_ADDRESSES = 10_000;

/** Returns the managed wallets of an account, as the store has them at the time of the query. */
export function viewOf(store: Store, accountId: string): AccountView {
  const walletsAmong = async (addresses: readonly string[]): Promise<readonly OwnWallet[]> => {
    const found: OwnWallet[] = [];
    for (let at = 0; at < addresses.length; at += CHUNK_ADDRESSES) {
      const chunk = addresses.slice(at, at + CHUNK_ADDRESSES);
      const isOwn = and(eq(wallets.accountId, accountId), anyOf(wallets.address, chunk));
      const { id: walletId, address } = wallets;
      found.push(...(await store.db.select({ walletId, address }).from(wallets).where(isOwn)));
    }
    return found;
  };
  return { accountId, walletsAmong };
}
