import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { land, rpc } from './client.ts';

export const DECIMALS = 6;

/** The address of an owner's associated account for a mint. */
export async function tokenAccountOf(owner: Address, mint: Address): Promise<Address> {
  const [ata] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return ata;
}

/** Instructions that open an owner's associated account. */
export async function openTokenAccount(
  payer: KeyPairSigner,
  owner: Address,
  mint: Address,
): Promise<Instruction> {
  const ata = await tokenAccountOf(owner, mint);
  return getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint });
}

/** Creates a mint of 6 decimals whose authority is the payer, with `amount` base units in the payer's account. */
export async function createMint(payer: KeyPairSigner, amount: bigint): Promise<Address> {
  const mint = await generateKeyPairSigner();
  const space = BigInt(getMintSize());
  const lamports = await rpc.getMinimumBalanceForRentExemption(space).send();
  const token = await tokenAccountOf(payer.address, mint.address);
  await land(payer, [
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports,
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals: DECIMALS, mintAuthority: payer.address }),
    await openTokenAccount(payer, payer.address, mint.address),
    getMintToInstruction({ mint: mint.address, token, mintAuthority: payer, amount }),
  ]);
  return mint.address;
}
