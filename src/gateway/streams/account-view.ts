import { anyOf } from '../../store/any-of.ts';
import { and, eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { wallets } from '../../store/wallet-tables.ts';

/** A managed wallet of an account. */
export type OwnWallet = { readonly walletId: string; readonly address: string };

/** The server's data that topics of one account may see. */
export type AccountView = {
  readonly accountId: string;
  /** Returns those of the addresses that are managed wallets of the account, in any order. Throws the store's errors. */
  readonly walletsAmong: (addresses: readonly string[]) => Promise<readonly OwnWallet[]>;
};

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
