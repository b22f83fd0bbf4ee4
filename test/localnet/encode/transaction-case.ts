import { getBase58Decoder } from '@solana/kit';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  type MessageV0,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type {
  InnerInstruction,
  LoadedAddresses,
  TransactionMeta,
  TransactionRecord,
} from '../../../src/localnet/model.ts';
import type { DecodedTransaction } from '../../../src/core/wire/message.ts';
import { address, key } from './instruction-case.ts';

/** Keys that the sample transactions use. */
export const PAYER = key(1);
export const RECIPIENT = key(2);
export const RECENT_BLOCKHASH = address(77);
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TABLE = key(50);
const base58 = getBase58Decoder();

/** A compute budget request (no parsed form), a transfer and a memo, in a message of either version. */
export function sampleTransaction(version: 'legacy' | 0): VersionedTransaction {
  const message = new TransactionMessage({
    payerKey: PAYER,
    recentBlockhash: RECENT_BLOCKHASH,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 }),
      SystemProgram.transfer({ fromPubkey: PAYER, toPubkey: RECIPIENT, lamports: 5 }),
      new TransactionInstruction({
        programId: new PublicKey(MEMO_PROGRAM),
        keys: [{ pubkey: key(3), isSigner: false, isWritable: false }],
        data: Buffer.from('hi'),
      }),
    ],
  });
  const compiled = version === 0 ? message.compileToV0Message([table()]) : message.compileToLegacyMessage();
  return new VersionedTransaction(compiled, [new Uint8Array(64).fill(9)]);
}

/** The addresses of the sample's table: the recipient writable, the memo's account read-only. */
export const LOADED: LoadedAddresses = { writable: [address(2)], readonly: [address(3)] };
export const NOTHING_LOADED: LoadedAddresses = { writable: [], readonly: [] };

function table() {
  return new AddressLookupTableAccount({
    key: TABLE,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: [key(40), RECIPIENT, key(3)],
    },
  });
}

/** The ledger's form of a transaction, read out of web3.js's. */
export function decodedOf(transaction: VersionedTransaction): DecodedTransaction {
  const { message } = transaction;
  return {
    wire: transaction.serialize(),
    signatures: transaction.signatures.map((signature) => base58.decode(signature)),
    messageBytes: message.serialize(),
    message: {
      version: message.version,
      header: { ...message.header },
      staticKeys: message.staticAccountKeys.map((each) => each.toBase58()),
      recentBlockhash: message.recentBlockhash,
      instructions: message.compiledInstructions.map((each) => ({
        programIdIndex: each.programIdIndex,
        accounts: each.accountKeyIndexes,
        data: each.data,
      })),
      lookups: lookupsOf(message.addressTableLookups),
    },
  };
}

function lookupsOf(lookups: MessageV0['addressTableLookups']) {
  return lookups.map((lookup) => ({ ...lookup, accountKey: lookup.accountKey.toBase58() }));
}

const plainMeta: TransactionMeta = {
  err: null,
  fee: 5000n,
  preBalances: [10n, 0n],
  postBalances: [5n, 2n ** 64n - 1n],
  preTokenBalances: [],
  postTokenBalances: [
    {
      accountIndex: 1,
      mint: address(8),
      uiTokenAmount: { uiAmount: 1, decimals: 0, amount: '1', uiAmountString: '1' },
      owner: address(2),
      programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    },
  ],
  innerInstructions: [],
  logs: ['Program log: hi'],
  returnData: null,
  computeUnitsConsumed: 450n,
  costUnits: 1_778n,
  loadedAddresses: NOTHING_LOADED,
};

/** The sample as it landed in slot 7 at place 3. */
export function sampleRecord(version: 'legacy' | 0, meta: Partial<TransactionMeta> = {}): TransactionRecord {
  const loadedAddresses = version === 0 ? LOADED : NOTHING_LOADED;
  return {
    slot: 7n,
    index: 3,
    transaction: decodedOf(sampleTransaction(version)),
    meta: { ...plainMeta, loadedAddresses, ...meta },
  };
}

/** A transfer that the sample's third instruction might have called, with the sample's own keys. */
export function sampleCall(keys: readonly string[]): InnerInstruction {
  const data = SystemProgram.transfer({ fromPubkey: PAYER, toPubkey: RECIPIENT, lamports: 8 }).data;
  const programIdIndex = keys.indexOf(SystemProgram.programId.toBase58());
  return { programIdIndex, accounts: [0, keys.indexOf(address(2))], data, stackHeight: 2 };
}
