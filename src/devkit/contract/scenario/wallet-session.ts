import {
  Keypair,
  Transaction,
  type TransactionInstruction,
  type VersionedTransaction,
} from '@solana/web3.js';
import { confirm } from '../confirmation.ts';
import { call, type RpcTarget } from '../json-rpc.ts';
import { latestBlockhash } from './latest-blockhash.ts';

/** A funded key pair and the ledger that it acts on. */
export type WalletSession = {
  readonly target: RpcTarget;
  readonly wallet: Keypair;
  readonly airdropSignature: string;
};

const FUNDS_LAMPORTS = 20_000_000_000;

/** Makes a key pair and funds it with 20 SOL by requestAirdrop. */
export async function openWallet(target: RpcTarget): Promise<WalletSession> {
  const wallet = Keypair.generate();
  const airdropSignature = String(
    await call(target, 'requestAirdrop', [wallet.publicKey.toBase58(), FUNDS_LAMPORTS]),
  );
  await confirm(target, airdropSignature);
  return { target, wallet, airdropSignature };
}

/** Builds a legacy transaction that the wallet pays for, and signs it with the wallet and the other signers. */
export function signLegacy(
  { wallet }: Pick<WalletSession, 'wallet'>,
  recentBlockhash: string,
  instructions: readonly TransactionInstruction[],
  signers: readonly Keypair[] = [],
): Transaction {
  const transaction = new Transaction({ feePayer: wallet.publicKey }).add(...instructions);
  transaction.recentBlockhash = recentBlockhash;
  transaction.sign(wallet, ...signers);
  return transaction;
}

/** Sends a signed transaction as base-64 and returns its signature. */
export async function send(
  { target }: WalletSession,
  transaction: Transaction | VersionedTransaction,
  config: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const wire = Buffer.from(transaction.serialize()).toString('base64');
  const options = { encoding: 'base64', preflightCommitment: 'processed', ...config };
  return String(await call(target, 'sendTransaction', [wire, options]));
}

/** Signs, sends and confirms a legacy transaction that must succeed. @returns its signature. */
export async function land(
  session: WalletSession,
  instructions: readonly TransactionInstruction[],
  signers: readonly Keypair[] = [],
): Promise<string> {
  const blockhash = await latestBlockhash(session.target);
  const signature = await send(session, signLegacy(session, blockhash, instructions, signers));
  await confirm(session.target, signature);
  return signature;
}

/** The rent-exempt minimum for an account of a size, in lamports. */
export async function rentFor(target: RpcTarget, sizeBytes: number): Promise<number> {
  return Number(await call(target, 'getMinimumBalanceForRentExemption', [sizeBytes]));
}

/** The data of an account at `confirmed`. @throws Error when there is no such account. */
export async function accountData(target: RpcTarget, address: string): Promise<Uint8Array> {
  const { value } = (await call(target, 'getAccountInfo', [
    address,
    { encoding: 'base64', commitment: 'confirmed' },
  ])) as {
    value: { data: readonly [string, string] } | null;
  };
  if (value === null) throw new Error(`no account ${address}`);
  return Buffer.from(value.data[0], 'base64');
}
