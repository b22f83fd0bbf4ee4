import type { WalletMetadata } from '../../../../generated/wallets/types.ts';

/** Returns the name of a wallet: its label, or its place in a tree. */
export function walletName({
  label,
  derivation_path,
}: Pick<WalletMetadata, 'label' | 'derivation_path'>): string {
  return label ?? (derivation_path === 'm' ? 'HD master' : (derivation_path ?? 'Wallet without a label'));
}
