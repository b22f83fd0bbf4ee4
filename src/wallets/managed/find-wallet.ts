import { serviceError } from '../../base/service-error.ts';
import { sql } from '../../store/drizzle.ts';
import { createSelection } from '../../store/select-rows.ts';
import type { Executes } from '../../store/statement.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isWalletId } from '../wallet-id.ts';
import { isDestroyed } from './is-destroyed.ts';
import { destroyedOf } from './reconciliation.ts';
import type { WalletRow } from './wallet-row.ts';

type OwnWallet = { readonly id: string; readonly accountId: string };

const selectOwn = createSelection<typeof wallets, OwnWallet>(
  wallets,
  (place) => sql`id = ${place('id')} and account_id = ${place('accountId')} and not ${isDestroyed}`,
);

/** The row of a wallet of an account, or none; a row that is there although its key is destroyed is none. The store is not asked for what is no id: it takes no text with a zero character. */
export async function selectWallet(db: Executes, wallet: OwnWallet): Promise<readonly WalletRow[]> {
  return isWalletId(wallet.id) ? selectOwn(db, wallet) : [];
}

/**
 * Finds a wallet of the caller.
 *
 * @throws ServiceError `walletNotFound`, for one of another account and for one that is destroyed too.
 */
export async function findWallet(context: WalletContext, id: string): Promise<WalletRow> {
  const { accountId } = context.caller;
  return assertFound(context, await read(context, (db) => selectWallet(db, { id, accountId })));
}

/** The wallet that was looked for, if the signer still knows it. @throws as `findWallet`. */
export async function assertFound(context: WalletContext, [row]: readonly WalletRow[]): Promise<WalletRow> {
  if (row === undefined || (await destroyedOf(context, [row])).length > 0)
    throw serviceError('walletNotFound');
  return row;
}
