import {
  type AccountMeta,
  type Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';

export const CONFIG_PROGRAM = new PublicKey('Config1111111111111111111111111111111111111');

export type ConfigKey = readonly [key: PublicKey, signs: boolean];

/** The length as clients write it: seven bits a byte. */
function shortVec(length: number): Buffer {
  return length < 0x80 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7);
}

/** A list of keys and the configuration behind it: what an account has, and the instruction that writes it. */
export function configData(keys: readonly ConfigKey[], configuration: Uint8Array = Buffer.of()): Buffer {
  const entries = keys.flatMap(([key, signs]) => [key.toBytes(), Buffer.of(signs ? 1 : 0)]);
  return Buffer.concat([shortVec(keys.length), ...entries, configuration]);
}

export const signer = (pubkey: PublicKey): AccountMeta => ({ pubkey, isSigner: true, isWritable: false });

/** Store, as the command line of validators builds it: the account, which signs if told so, and then each signer. */
export function store(
  account: PublicKey,
  isSigner: boolean,
  keys: readonly ConfigKey[],
  configuration?: Uint8Array,
) {
  const others = keys.filter(([key, signs]) => signs && !key.equals(account));
  return storeBytes(
    configData(keys, configuration),
    { pubkey: account, isSigner, isWritable: true },
    ...others.map(([key]) => signer(key)),
  );
}

/** An instruction of the config program with any data and accounts. */
export function storeBytes(data: Buffer, ...keys: readonly AccountMeta[]): TransactionInstruction {
  return new TransactionInstruction({ programId: CONFIG_PROGRAM, keys: [...keys], data });
}

export function createConfig(payer: Keypair, account: Keypair, space: number, owner = CONFIG_PROGRAM) {
  return SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: account.publicKey,
    lamports: 20_000_000,
    space,
    programId: owner,
  });
}
