import { Keypair, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { confirmAll } from '../confirmation.ts';
import { call } from '../json-rpc.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { send, signLegacy, type WalletSession } from './wallet-session.ts';

/** Transactions that land with other errors than a program's own: an unknown instruction, an account left without rent. */
export async function makeFailures(session: WalletSession) {
  const { target } = session;
  const unknown = new TransactionInstruction({
    programId: SystemProgram.programId,
    keys: [],
    data: Buffer.alloc(4, 0xff),
  });
  const transaction = signLegacy(session, await latestBlockhash(target), [unknown]);
  const unknownInstructionSignature = await send(session, transaction, { skipPreflight: true });
  const rentlessSignature = String(
    await call(target, 'requestAirdrop', [Keypair.generate().publicKey.toBase58(), 1]),
  );
  const landed = await confirmAll(target, [unknownInstructionSignature, rentlessSignature]);
  if (landed.some(({ err }) => err === null)) throw new Error('a transaction that must fail succeeded');
  return { unknownInstructionSignature, rentlessSignature };
}
