import type { PublicKey } from '@solana/web3.js';
import { confirm, confirmAll } from '../confirmation.ts';
import { call } from '../json-rpc.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { planTransfer, signVersion1, type Version1Plan } from './version-1.ts';
import type { WalletSession } from './wallet-session.ts';

/** A version 1 transfer that succeeds; and one that lands with an error in another slot, because it requests too few compute units. */
export async function makeVersion1(session: WalletSession, recipient: PublicKey) {
  const { target, wallet } = session;
  const from = wallet.publicKey.toBase58();
  const to = recipient.toBase58();
  const failing = planTransfer(from, to, 5_000_001);
  const limits = { ...failing.limits, computeUnitLimit: 1, heapSize: 65_536 };
  const version1FailedSignature = await sendVersion1(session, { ...failing, limits });
  const [failed] = await confirmAll(target, [version1FailedSignature]);
  if (failed?.err === null) throw new Error('a transfer with one compute unit did not fail');
  const version1Signature = await sendVersion1(session, planTransfer(from, to, 5_000_000));
  await confirm(target, version1Signature);
  return { version1Signature, version1FailedSignature };
}

async function sendVersion1({ target, wallet }: WalletSession, plan: Version1Plan): Promise<string> {
  const { text } = await signVersion1(wallet, await latestBlockhash(target), plan);
  return String(await call(target, 'sendTransaction', [text, { encoding: 'base64', skipPreflight: true }]));
}
