import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { confirmAll } from '../confirmation.ts';
import { call, type RpcTarget } from '../json-rpc.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { newKeyPair, signLegacy, transferInstruction } from './legacy.ts';
import { addressOf, type Instruction, ROLE, type SecretKey } from './sign-transaction.ts';
import {
  planLargeMemo,
  planTransfer,
  signVersion1,
  type Version1Plan,
  withoutSignature,
} from './version-1.ts';

export type FreshValue = () => Promise<unknown>;

/** The ledger, and the key pair that signs. */
export type FreshMeans = { readonly target: RpcTarget; readonly wallet: SecretKey };

/** Instruction 23 of the token program, which returns an amount as text: of 1.5 wrapped SOL. */
const RETURNING: Instruction = {
  programAddress: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  accounts: [{ address: 'So11111111111111111111111111111111111111112', role: ROLE.readonly }],
  data: Buffer.from('17002f685900000000', 'hex'),
};

/** Values that are new at each use: they expire, grow or can be used only once. */
export function freshValues(
  { target, wallet }: FreshMeans,
  recipient: string,
): Readonly<Record<string, FreshValue>> {
  const payer = addressOf(wallet);
  let sent = 0;
  /** The blockhash is a finalized one, so that preflight takes it at every commitment. */
  const finalized = (): Promise<string> => latestBlockhash(target, 'finalized');
  const signed = async (instruction: Instruction) => signLegacy(wallet, await finalized(), [instruction]);
  const transfer = async () => {
    sent += 1;
    return await signed(transferInstruction(payer, recipient, 1_000_000 + sent));
  };
  /** The signature of a legacy transaction follows the count of signatures. */
  const unsigned = async (): Promise<string> => {
    const wire = Buffer.from((await transfer()).text, 'base64');
    return wire.fill(0, 1, 65).toString('base64');
  };
  /** To a new address each time, so that no other transaction mentions it. */
  const version1 = async (limits?: Version1Plan['limits']) => {
    const plan = planTransfer(payer, addressOf(await newKeyPair()), 1_000_000);
    return signVersion1(wallet, await finalized(), { ...plan, limits: limits ?? plan.limits });
  };
  const largeVersion1 = async () => {
    sent += 1;
    const plan = planLargeMemo(payer, `larger than a packet, number ${sent}`);
    return signVersion1(wallet, await finalized(), plan);
  };
  const justLanded = async (): Promise<string> => {
    const options = { encoding: 'base64', preflightCommitment: 'processed' };
    const signature = String(await call(target, 'sendTransaction', [(await transfer()).text, options]));
    await confirmAll(target, [signature], 'processed');
    return signature;
  };
  return {
    feeMessageVersion1: async () => Buffer.from((await version1()).messageBytes).toString('base64'),
    signedVersion1: async () => (await version1()).text,
    signedVersion1In58: async () => in58((await version1()).text),
    version1WithoutLimits: async () => (await version1({})).text,
    unsignedVersion1: async () => withoutSignature((await version1()).text),
    largeVersion1: async () => (await largeVersion1()).text,
    latestBlockhash: finalized,
    feeMessage: async () => Buffer.from((await transfer()).messageBytes).toString('base64'),
    signedTransfer58: async () => in58((await transfer()).text),
    signedTransfer64: async () => (await transfer()).text,
    unsignedTransfer64: unsigned,
    justSentSignature: justLanded,
    returning64: async () => (await signed(RETURNING)).text,
    finalizedSlot: () => call(target, 'getSlot', [{ commitment: 'finalized' }]),
    confirmedSlot: () => call(target, 'getSlot', [{ commitment: 'confirmed' }]),
    unknownAddress: async () => addressOf(await newKeyPair()),
    unknownSignature: async () => base58.encode(randomBytes(64)),
    /** A blockhash that never existed, which a node treats like an expired one. */
    expiredBlockhash: async () => base58.encode(randomBytes(32)),
  };
}

const in58 = (base64: string): string => base58.encode(Buffer.from(base64, 'base64'));
