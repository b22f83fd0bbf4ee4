import { HDKey } from 'micro-key-producer/slip10.js';
import { mnemonicToSeedSync } from '@scure/bip39';
import { inject } from 'vitest';
import { createWalletClient } from '../../generated/wallets/client.ts';
import type { Wallet } from '../../generated/wallets/types.ts';

/** The wallet service of the server that all client suites share. */
export const walletService = createWalletClient({ url: inject('baseUrl'), token: inject('accessToken') });

export const DEFAULT_PATH = "m/44'/501'/0'/0'";

/** The members that only one custody has. */
type Member = 'wallet_id' | 'secret_key' | 'mnemonic';

/** A member that a new wallet must have. @throws Error when it lacks it. */
export function memberOf(wallet: Wallet, name: Member): string {
  const value = (wallet as Partial<Readonly<Record<Member, string>>>)[name];
  if (value === undefined) throw new Error(`the wallet has no ${name}`);
  return value;
}

/** The Ed25519 seed of a mnemonic (BIP39) at a path (SLIP-0010), computed with other libraries than the server's. */
export function seedOf(mnemonic: string, path = DEFAULT_PATH): Uint8Array {
  return HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(path).privateKey;
}
