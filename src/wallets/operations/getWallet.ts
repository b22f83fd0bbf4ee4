import type { WalletMetadata } from '../../../generated/wallets/types.ts';
import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { auditAlone } from '../audit.ts';
import { findWallet, type WalletRow } from '../managed/wallet-row.ts';
import type { WalletContext } from '../wallet-context.ts';

/** `GET /v1/wallets/{id}` (interface.md section 4.4). The audit log has the call before the answer is there. */
export const getWallet: WalletHandler<WalletContext, 'getWallet'> = async (context, { id }) => {
  const wallet = await findWallet(context, id);
  await auditAlone(context, { action: 'fetch', outcome: 'ok', walletId: wallet.id });
  return { kind: 'json', body: toMetadata(wallet) };
};

function toMetadata(row: WalletRow): WalletMetadata {
  const { id, address, derivationPath, masterId, label, protection, createdAt } = row;
  return {
    ...{ wallet_id: id, address, custody: 'managed' },
    ...(derivationPath === null ? {} : { derivation_path: derivationPath }),
    ...(masterId === null ? {} : { master_wallet_id: masterId }),
    ...(label === null ? {} : { label }),
    ...{ key_protection: protection, created_at: createdAt.toISOString() },
  };
}
