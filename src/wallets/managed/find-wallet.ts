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
  (param) => sql`id = ${param('id')} and account_id = ${param('accountId')} and not ${isDestroyed}`,
);

const selectLeft = createSelection<typeof wallets, OwnWallet>(
  wallets,
  (param) => sql`id = ${param('id')} and account_id = ${param('accountId')}`,
);

/**
 * Returns the row of an account's wallet, or none; a row whose key is destroyed counts as none. Text that is not an id never reaches the
 * store, which rejects zero characters.
 */
export async function selectWallet(db: Executes, wallet: OwnWallet): Promise<readonly WalletRow[]> {
  return isWalletId(wallet.id) ? selectOwn(db, wallet) : [];
}

/** As `selectWallet`, but a row whose key is destroyed counts: its destruction is not complete. */
export async function selectUnfinished(db: Executes, wallet: OwnWallet): Promise<readonly WalletRow[]> {
  return isWalletId(wallet.id) ? selectLeft(db, wallet) : [];
}

/**
 * Finds a wallet of the caller.
 *
 * @throws ServiceError `walletNotFound`, also for another account's wallet and for a destroyed one.
 */
export async function findWallet(context: WalletContext, id: string): Promise<WalletRow> {
  const { accountId } = context.caller;
  return assertFound(context, await read(context, (db) => selectWallet(db, { id, accountId })));
}

/** Returns the wallet, if the signer still knows it. @throws as `findWallet`. */
export async function assertFound(context: WalletContext, [row]: readonly WalletRow[]): Promise<WalletRow> {
  if (row === undefined || (await destroyedOf(context, [row])).length > 0)
    throw serviceError('walletNotFound');
  return row;
}
