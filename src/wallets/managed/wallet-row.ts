import { sql } from '../../store/drizzle.ts';
import { createSelection } from '../../store/select-rows.ts';
import { serviceError } from '../../base/service-error.ts';
import { wallets } from '../../store/wallet-tables.ts';
import type { NewKey } from '../../signer/signer.ts';
import { base58 } from '@scure/base';
import type { Executes } from '../../store/statement.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isDestroyed } from './is-destroyed.ts';
import { isWalletId } from '../wallet-id.ts';
import { destroyedOf } from './reconciliation.ts';

/** A managed wallet as the store has it. */
export type WalletRow = typeof wallets.$inferSelect;

/** What a row says beside its key. */
export type RowFacts = Pick<WalletRow, 'id' | 'kind'> &
  Partial<Pick<WalletRow, 'derivationPath' | 'masterId' | 'x' | 'y' | 'label' | 'workSeq'>>;

/** The row of a new wallet of the caller. */
export function toRow(
  { caller, claim }: Pick<WalletContext, 'caller' | 'claim'>,
  { publicKey, sealed, protection }: NewKey,
  facts: RowFacts,
  createdAt: Date,
): WalletRow {
  return {
    ...{ accountId: caller.accountId, address: base58.encode(publicKey), publicKey, sealed, protection },
    ...{ derivationPath: null, masterId: null, x: null, y: null, label: null, workSeq: null },
    ...facts,
    ...(claim.workId === undefined ? { workId: null, workSeq: null } : { workId: claim.workId }),
    createdAt,
  };
}

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

/** The key of a wallet, as the signer takes it. */
export function keyOf({ id, accountId, sealed }: WalletRow): {
  readonly walletId: string;
  readonly accountId: string;
  readonly sealed: Uint8Array;
} {
  return { walletId: id, accountId, sealed: sealed ?? new Uint8Array(0) };
}
