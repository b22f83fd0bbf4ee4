import { expect, test } from 'vitest';
import type { AccountEncoding, TransactionEncoding } from '../../../generated/ledger/types.ts';
import { encodeAccount } from '../../../src/localnet/encode/account.ts';
import { encodeBlock } from '../../../src/localnet/encode/block.ts';
import { encodeConfirmedTransaction } from '../../../src/localnet/encode/confirmed-transaction.ts';
import { encodePreflight, encodeSimulation } from '../../../src/localnet/encode/simulation-result.ts';
import type { BlockReward } from '../../../src/localnet/model.ts';
import { accountKeys } from '../../../src/localnet/transaction/account-keys.ts';
import { accountOf, NO_MINTS } from './account-case.ts';
import { address } from './instruction-case.ts';
import { assertResult, assertValue } from './result-schema.ts';
import { LOADED, sampleCall, sampleRecord } from './transaction-case.ts';

const ACCOUNT_ENCODINGS: readonly AccountEncoding[] = [
  'binary',
  'base58',
  'base64',
  'base64+zstd',
  'jsonParsed',
];
const ENCODINGS: readonly TransactionEncoding[] = ['binary', 'base58', 'base64', 'json', 'jsonParsed'];
const DETAILS = ['full', 'accounts', 'signatures', 'none'] as const;

const keys = accountKeys(sampleRecord(0).transaction.message, LOADED);
const innerInstructions = [{ index: 2, instructions: [sampleCall(keys)] }];
const returnData = { programId: address(4), data: Uint8Array.of(1) };
const err = { InstructionError: [1, { Custom: 6 }] as [number, { Custom: number }] };
const REWARD: BlockReward = {
  address: address(6),
  type: 'Voting',
  lamports: 1n,
  postBalance: 2n,
  commissionBps: 500,
};
const records = [sampleRecord('legacy', { err }), sampleRecord(0, { innerInstructions, returnData })];

test.each(ACCOUNT_ENCODINGS)('getAccountInfo allows an account under %s', (encoding) => {
  const account = accountOf({ data: Uint8Array.of(1, 2, 3) });
  assertValue('getAccountInfo', encodeAccount(account, { ...NO_MINTS, encoding }));
  assertValue('getMultipleAccounts', [encodeAccount(account, { ...NO_MINTS, encoding }), null]);
});

test.each(ENCODINGS)('getTransaction allows a transaction under %s', (encoding) => {
  for (const record of records) {
    const options = { encoding, maxSupportedTransactionVersion: 0 };
    assertResult('getTransaction', encodeConfirmedTransaction(record, 1_700_000_000n, options));
  }
});

test.each(ENCODINGS.flatMap((encoding) => DETAILS.map((details) => [encoding, details] as const)))(
  'getBlock allows a block under %s with %s',
  (encoding, transactionDetails) => {
    const block = {
      slot: 7n,
      parentSlot: 6n,
      height: 7n,
      blockhash: address(20),
      previousBlockhash: address(21),
      time: 1_700_000_000n,
      transactions: records,
      rewards: { paid: [REWARD], due: [] },
    };
    for (const rewards of [true, false]) {
      const options = { encoding, transactionDetails, rewards, maxSupportedTransactionVersion: 0 };
      assertResult('getBlock', encodeBlock(block, options));
    }
  },
);

test('simulateTransaction allows what a simulation did, and preflight data', () => {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances } = sampleRecord(0).meta;
  const balances = {
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
  };
  const outcome = {
    logs: ['a'],
    unitsConsumed: 1n,
    loadedAccountsDataSize: 2,
    returnData,
    fee: 5000n,
    balances,
    loadedAddresses: LOADED,
  };
  const simulation = encodeSimulation(
    { ...outcome, err: null },
    {
      accounts: [encodeAccount(accountOf({}), { ...NO_MINTS, encoding: 'base64' }), null],
      innerInstructions: { calls: innerInstructions, keys },
      replacementBlockhash: { blockhash: address(5), lastValidBlockHeight: 2n ** 64n - 1n },
    },
  );
  assertValue('simulateTransaction', simulation);
  assertValue('simulateTransaction', encodePreflight({ ...outcome, err }));
});

test('a result that is not allowed fails', () => {
  expect(() => assertValue('getAccountInfo', { lamports: 1n })).toThrow(/must not answer/);
  expect(() => assertResult('getTransaction', { slot: 1n })).toThrow(/must not answer/);
});
