import { serviceError } from '../../core/service-error.ts';
import { sql } from '../../store/drizzle.ts';
import { createSelection } from '../../store/select-rows.ts';
import type { Executes } from '../../store/statement.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isWalletId } from '../wallet-id.ts';
import { destroyedOf } from './destroyed-rows.ts';
import type { WalletRow } from '../wallet-row.ts';
import type { SQL } from 'drizzle-orm';

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

/**
 * True when the key of a row of `wallets`, or that of its index below a master, is destroyed, as any signer of the store recorded it (see
 * src/signer/tombstones/tombstones.ts for the contents of a fingerprint). Use it in the statement that reads the row: it then sees every
 * destruction that was acknowledged anywhere.
 */
export const isDestroyed: SQL = sql`exists (
  select from signer_tombstones where fingerprint in (
    substring(sha256(convert_to('wallet' || chr(10) || wallets.id, 'UTF8')) from 1 for 16),
    substring(sha256(convert_to('child' || chr(10) || wallets.x || chr(10) || wallets.y || chr(10) || wallets.master_id, 'UTF8')) from 1 for 16)
  )
)`;
