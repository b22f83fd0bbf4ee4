import type { wallets } from '../store/wallet-tables.ts';
import type { NewKey } from '../signer/signer.ts';
import { base58 } from '@scure/base';
import type { WalletContext } from './wallet-context.ts';

/** The stored row of a managed wallet. */
export type WalletRow = typeof wallets.$inferSelect;

/** The facts of a row apart from its key. */
export type RowFacts = Pick<WalletRow, 'id' | 'kind'> &
  Partial<Pick<WalletRow, 'derivationPath' | 'masterId' | 'x' | 'y' | 'label' | 'workSeq'>>;

/** Returns the row of a new wallet of the caller. */
export function toRow(
  { caller, claim }: Pick<WalletContext, 'caller' | 'claim'>,
  { publicKey, sealed, protection }: NewKey,
  facts: RowFacts,
  createdAt: Date,
): WalletRow {
  return {
    accountId: caller.accountId,
    address: base58.encode(publicKey),
    publicKey,
    sealed,
    protection,
    derivationPath: null,
    masterId: null,
    x: null,
    y: null,
    label: null,
    workSeq: null,
    ...facts,
    ...(claim.workId === undefined ? { workId: null, workSeq: null } : { workId: claim.workId }),
    createdAt,
  };
}

/** Returns the key of a wallet, as the signer takes it. */
export function keyOf({ id, accountId, sealed }: WalletRow): {
  readonly walletId: string;
  readonly accountId: string;
  readonly sealed: Uint8Array;
} {
  return { walletId: id, accountId, sealed: sealed ?? new Uint8Array(0) };
}
