import type { WalletMetadata } from '../../../generated/wallets/types.ts';
import type { WalletRow } from '../wallet-row.ts';

/** Returns the public data of a managed wallet, and nothing of its key. */
export function toMetadata(row: WalletRow): WalletMetadata {
  const { id, address, derivationPath, masterId, label, protection, createdAt } = row;
  return {
    wallet_id: id,
    address,
    custody: 'managed',
    ...(derivationPath === null ? {} : { derivation_path: derivationPath }),
    ...(masterId === null ? {} : { master_wallet_id: masterId }),
    ...(label === null ? {} : { label }),
    key_protection: protection,
    created_at: createdAt.toISOString(),
  };
}
