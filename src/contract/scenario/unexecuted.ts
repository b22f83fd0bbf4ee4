import {
  createCreateNativeMintInstruction,
  createInitializeNonTransferableMintInstruction,
  createRecoverNestedInstruction,
  NATIVE_MINT_2022,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { confirmAll } from '../confirmation.ts';
import { BPF_LOADER_2 } from './program-accounts.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { send, signLegacy, type WalletSession } from './wallet-session.ts';

const U64_SIZE = 8;

/** A transaction that fails at its first instruction, and so shows how the others, which need rare circumstances, parse. */
export async function makeUnexecuted(session: WalletSession) {
  const { target, wallet } = session;
  const [owner, other] = [wallet.publicKey, Keypair.generate().publicKey];
  const instructions = [
    raw(SystemProgram.programId, [12, 0, 0, 0], [other]),
    raw(
      SystemProgram.programId,
      [13, 0, 0, 0, ...Buffer.alloc(2 * U64_SIZE), ...owner.toBytes()],
      [owner, other],
    ),
    raw(
      SystemProgram.programId,
      [13, 0, 0, 0, 1, ...Buffer.alloc(2 * U64_SIZE - 1), ...owner.toBytes()],
      [owner, other],
    ),
    raw(TOKEN_PROGRAM_ID, [45, 0], [other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [45, 1, ...Buffer.alloc(U64_SIZE, 1)], [other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [45, 0], [other, other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [45, 1, ...Buffer.alloc(U64_SIZE, 1)], [other, other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [255, 1, 1, 17], [other]),
    createCreateNativeMintInstruction(owner, NATIVE_MINT_2022, TOKEN_2022_PROGRAM_ID),
    createInitializeNonTransferableMintInstruction(other, TOKEN_2022_PROGRAM_ID),
    createRecoverNestedInstruction(other, other, other, other, other, owner, TOKEN_PROGRAM_ID),
    raw(BPF_LOADER_2, [0, 0, 0, 0, ...Buffer.alloc(4), ...Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 7])], [other]),
  ];
  const transaction = signLegacy(session, await latestBlockhash(target), instructions);
  const unexecutedSignature = await send(session, transaction, { skipPreflight: true });
  const [landed] = await confirmAll(target, [unexecutedSignature]);
  if (landed?.err === null) throw new Error('a transaction that had to fail did not');
  return { unexecutedSignature };
}

function raw(
  programId: PublicKey,
  data: readonly number[],
  accounts: readonly PublicKey[],
): TransactionInstruction {
  const keys = accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
  return new TransactionInstruction({ programId, keys, data: Buffer.from(data) });
}
