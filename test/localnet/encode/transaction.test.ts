import { getBase58Encoder } from '@solana/kit';
import { SystemProgram, VersionedTransaction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import {
  encodeAccountsTransaction,
  encodeParsedTransaction,
  encodeTransaction,
} from '../../../src/localnet/encode/transaction.ts';
import { address } from './instruction-case.ts';
import {
  decodedOf,
  LOADED,
  MEMO_PROGRAM,
  NOTHING_LOADED,
  RECENT_BLOCKHASH,
  sampleTransaction,
} from './transaction-case.ts';

const BUDGET = 'ComputeBudget111111111111111111111111111111';
const SYSTEM = SystemProgram.programId.toBase58();
const legacy = sampleTransaction('legacy');
const v0 = sampleTransaction(0);

describe.each([
  ['legacy', legacy],
  ['version 0', v0],
] as const)('%s', (_name, sample) => {
  const transaction = decodedOf(sample);

  test('base58, base64 and binary carry the exact bytes', () => {
    const wire = sample.serialize();
    const [text58, name58] = encodeTransaction(transaction, 'base58') as [string, string];
    expect(name58).toBe('base58');
    expect(new Uint8Array(getBase58Encoder().encode(text58))).toEqual(wire);
    expect(encodeTransaction(transaction, 'binary')).toBe(text58);
    const [text64, name64] = encodeTransaction(transaction, 'base64') as [string, string];
    expect(name64).toBe('base64');
    expect(VersionedTransaction.deserialize(Buffer.from(text64, 'base64')).serialize()).toEqual(wire);
  });

  test('json keeps indexes and static keys only', () => {
    expect(encodeTransaction(transaction, 'json')).toMatchObject({
      signatures: transaction.signatures,
      message: {
        header: sample.message.header,
        accountKeys: sample.message.staticAccountKeys.map((each) => each.toBase58()),
        recentBlockhash: RECENT_BLOCKHASH,
        instructions: sample.message.compiledInstructions.map((each) => ({
          programIdIndex: each.programIdIndex,
          accounts: each.accountKeyIndexes,
          data: expect.any(String),
          stackHeight: 1,
        })),
      },
    });
  });
});

test('lookups are shown in version 0 only', () => {
  const lookups = [{ accountKey: address(50), writableIndexes: [1], readonlyIndexes: [2] }];
  expect(encodeTransaction(decodedOf(v0), 'json')).toMatchObject({
    message: { addressTableLookups: lookups },
  });
  expect(encodeTransaction(decodedOf(legacy), 'json')).not.toHaveProperty('message.addressTableLookups');
  const parsed = encodeParsedTransaction(decodedOf(v0), LOADED);
  expect(parsed.message.addressTableLookups).toEqual(lookups);
  const parsedLegacy = encodeParsedTransaction(decodedOf(legacy), NOTHING_LOADED);
  expect(parsedLegacy.message).not.toHaveProperty('addressTableLookups');
});

test('jsonParsed names what it knows and writes out the rest', () => {
  const { message } = encodeParsedTransaction(decodedOf(v0), LOADED);
  expect(Object.keys(message).sort()).toEqual([
    'accountKeys',
    'addressTableLookups',
    'instructions',
    'recentBlockhash',
  ]);
  expect(message.instructions).toEqual([
    { programId: BUDGET, accounts: [], data: expect.any(String), stackHeight: 1 },
    {
      program: 'system',
      programId: SYSTEM,
      parsed: {
        type: 'transfer',
        info: { source: address(1), destination: address(2), lamports: 5n },
      },
      stackHeight: 1,
    },
    { program: 'spl-memo', programId: MEMO_PROGRAM, parsed: 'hi', stackHeight: 1 },
  ]);
});

describe('account keys', () => {
  const keyOf = (pubkey: string, writable: boolean, signer: boolean, source: string) => ({
    pubkey,
    writable,
    signer,
    source,
  });

  test('say what they may do and where they stand, loaded ones last', () => {
    const { message } = encodeParsedTransaction(decodedOf(v0), LOADED);
    expect(message.accountKeys).toEqual([
      keyOf(address(1), true, true, 'transaction'),
      keyOf(BUDGET, false, false, 'transaction'),
      keyOf(SYSTEM, false, false, 'transaction'),
      keyOf(MEMO_PROGRAM, false, false, 'transaction'),
      keyOf(address(2), true, false, 'lookupTable'),
      keyOf(address(3), false, false, 'lookupTable'),
    ]);
  });

  test('are the same list under transactionDetails accounts, with the signatures', () => {
    const transaction = decodedOf(legacy);
    const listed = encodeAccountsTransaction(transaction, NOTHING_LOADED);
    expect(listed).toEqual({
      signatures: transaction.signatures,
      accountKeys: encodeParsedTransaction(transaction, NOTHING_LOADED).message.accountKeys,
    });
    expect(listed.accountKeys.find(({ pubkey }) => pubkey === address(2))).toEqual(
      keyOf(address(2), true, false, 'transaction'),
    );
  });

  test('are not writable if reserved or called, whatever the header says', () => {
    const transaction = decodedOf(legacy);
    const message = {
      ...transaction.message,
      header: { ...transaction.message.header, numReadonlyUnsignedAccounts: 0 },
    };
    const { accountKeys } = encodeAccountsTransaction({ ...transaction, message }, NOTHING_LOADED);
    const writable = accountKeys.filter((each) => each.writable).map((each) => each.pubkey);
    expect(writable.sort()).toEqual([address(1), address(2), address(3)].sort());
  });
});
