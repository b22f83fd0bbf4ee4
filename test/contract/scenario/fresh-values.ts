import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { createAmountToUiAmountInstruction, NATIVE_MINT } from '@solana/spl-token';
import { Keypair, type PublicKey, type Transaction, type TransactionInstruction } from '@solana/web3.js';
import { confirmAll } from '../../support/confirmation.ts';
import { call } from '../../support/json-rpc.ts';
import { transferFrom } from './transfers.ts';
import {
  planLargeMemo,
  planTransfer,
  signVersion1,
  type Version1Plan,
  withoutSignature,
} from './version-1.ts';
import { latestBlockhash, send, signLegacy, type WalletSession } from './wallet-session.ts';

export type FreshValue = () => Promise<unknown>;

/** Values that are another one each time they are asked for: they expire, grow or can be used once. */
export function freshValues(
  session: WalletSession,
  recipient: PublicKey,
): Readonly<Record<string, FreshValue>> {
  const { target } = session;
  let sent = 0;
  /** The blockhash is a finalized one, so that preflight takes it at every commitment. */
  const transfer = async (): Promise<Transaction> => {
    const blockhash = await latestBlockhash(target, 'finalized');
    sent += 1;
    return signLegacy(session, blockhash, [transferFrom(session, recipient, 1_000_000 + sent)]);
  };
  const unsigned = async (): Promise<Buffer> => {
    const wire = (await transfer()).serialize();
    return Buffer.concat([wire.subarray(0, 1), Buffer.alloc(64), wire.subarray(65)]);
  };
  const signed64 = async (instructions: readonly TransactionInstruction[]): Promise<string> => {
    const transaction = signLegacy(session, await latestBlockhash(target, 'finalized'), instructions);
    return transaction.serialize().toString('base64');
  };
  /** To a new address each time, so that no other transaction mentions it. */
  const version1 = async (limits?: Version1Plan['limits']) => {
    const plan = planTransfer(session.wallet, Keypair.generate().publicKey, 1_000_000);
    const blockhash = await latestBlockhash(target, 'finalized');
    return signVersion1(session.wallet, blockhash, { ...plan, limits: limits ?? plan.limits });
  };
  const largeVersion1 = async () => {
    sent += 1;
    const plan = planLargeMemo(session.wallet, `larger than a packet, number ${sent}`);
    return signVersion1(session.wallet, await latestBlockhash(target, 'finalized'), plan);
  };
  const justLanded = async (): Promise<string> => {
    const signature = await send(session, await transfer());
    await confirmAll(target, [signature], 'processed');
    return signature;
  };
  return {
    feeMessageVersion1: async () => Buffer.from((await version1()).messageBytes).toString('base64'),
    signedVersion1: async () => (await version1()).text,
    signedVersion1In58: async () => base58.encode(Buffer.from((await version1()).text, 'base64')),
    version1WithoutLimits: async () => (await version1({})).text,
    unsignedVersion1: async () => withoutSignature((await version1()).text),
    largeVersion1: async () => (await largeVersion1()).text,
    latestBlockhash: () => latestBlockhash(target, 'finalized'),
    feeMessage: async () => (await transfer()).serializeMessage().toString('base64'),
    signedTransfer58: async () => base58.encode((await transfer()).serialize()),
    signedTransfer64: async () => (await transfer()).serialize().toString('base64'),
    unsignedTransfer64: async () => (await unsigned()).toString('base64'),
    justSentSignature: justLanded,
    returning64: () => signed64([createAmountToUiAmountInstruction(NATIVE_MINT, 1_500_000_000n)]),
    finalizedSlot: () => call(target, 'getSlot', [{ commitment: 'finalized' }]),
    confirmedSlot: () => call(target, 'getSlot', [{ commitment: 'confirmed' }]),
    unknownAddress: async () => Keypair.generate().publicKey.toBase58(),
    unknownSignature: async () => base58.encode(randomBytes(64)),
    /** Never given out by the ledger, which to a node is the same as one that has expired. */
    expiredBlockhash: async () => base58.encode(randomBytes(32)),
  };
}
