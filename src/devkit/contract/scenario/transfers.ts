import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';
import { confirmAll } from '../confirmation.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { land, rentFor, send, signLegacy, type WalletSession } from './wallet-session.ts';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const MORE_THAN_IT_HAS = 1_000_000_000_000;

/** A transfer instruction from the wallet. */
export function transferFrom(
  { wallet }: Pick<WalletSession, 'wallet'>,
  to: PublicKey,
  lamports: number,
): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: to, lamports });
}

/** A transfer that succeeds and one that lands with an error, being sent without preflight. */
export async function makeTransfers(session: WalletSession, recipient: PublicKey) {
  const transferSignature = await land(session, [transferFrom(session, recipient, 1_000_000_000)]);
  const blockhash = await latestBlockhash(session.target);
  const failing = signLegacy(session, blockhash, [transferFrom(session, recipient, MORE_THAN_IT_HAS)]);
  const failedSignature = await send(session, failing, { skipPreflight: true });
  const [landed] = await confirmAll(session.target, [failedSignature]);
  if (landed?.err === null) throw new Error('a transfer of more than the wallet has did not fail');
  return { transferSignature, failedSignature };
}

/** A memo signed by the wallet, with a compute unit price and so a priority fee. */
export async function makeMemo(session: WalletSession) {
  const memo = new TransactionInstruction({
    programId: MEMO_PROGRAM,
    keys: [{ pubkey: session.wallet.publicKey, isSigner: true, isWritable: false }],
    data: Buffer.from('paid in full'),
  });
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 20_000 });
  return { memoSignature: await land(session, [price, memo]) };
}

/** An account of 8 bytes owned by a program that does not exist, so that nothing can parse it. */
export async function makeDataAccount(session: WalletSession) {
  const account = Keypair.generate();
  const program = Keypair.generate().publicKey;
  const create = SystemProgram.createAccount({
    fromPubkey: session.wallet.publicKey,
    newAccountPubkey: account.publicKey,
    lamports: await rentFor(session.target, 8),
    space: 8,
    programId: program,
  });
  await land(session, [create], [account]);
  return { dataAccount8: account.publicKey.toBase58(), dataProgram: program.toBase58() };
}
