import { describe, expect, test } from 'vitest';
import { encodeBlock } from '../../../src/localnet/encode/block.ts';
import { encodeAccountsMeta, encodeMeta } from '../../../src/localnet/encode/meta.ts';
import { encodeAccountsTransaction, encodeTransaction } from '../../../src/localnet/encode/transaction.ts';
import type { Block } from '../../../src/localnet/model.ts';
import { address } from './instruction-case.ts';
import { NOTHING_LOADED, sampleRecord } from './transaction-case.ts';

const legacy = sampleRecord('legacy');
const v0 = sampleRecord(0);
const block: Block = {
  slot: 7n,
  parentSlot: 6n,
  height: 7n,
  blockhash: address(20),
  previousBlockhash: address(21),
  time: 1_700_000_000n,
  transactions: [legacy],
  rewards: undefined,
};
const mixed: Block = { ...block, transactions: [legacy, v0] };
const SUMMARY = {
  blockhash: address(20),
  previousBlockhash: address(21),
  parentSlot: 6n,
  blockTime: 1_700_000_000n,
  blockHeight: 7n,
};

test('full json with rewards is the default', () => {
  const transaction = {
    transaction: encodeTransaction(legacy.transaction, 'json'),
    meta: encodeMeta(legacy.meta, true),
  };
  expect(encodeBlock(block, {})).toStrictEqual({ ...SUMMARY, rewards: [], transactions: [transaction] });
  const nulls = {
    encoding: null,
    transactionDetails: null,
    rewards: null,
    maxSupportedTransactionVersion: null,
  };
  expect(encodeBlock(block, nulls)).toStrictEqual(encodeBlock(block, {}));
});

test('rewards not asked for are absent from the block and null in its transactions', () => {
  const encoded = encodeBlock(block, { rewards: false });
  expect(encoded).not.toHaveProperty('rewards');
  expect(encoded).toMatchObject({ transactions: [{ meta: { rewards: null } }] });
});

test('signatures are the first of each transaction, whatever the versions', () => {
  const second = { ...legacy, transaction: { ...legacy.transaction, signatures: ['first', 'other'] } };
  const encoded = encodeBlock({ ...mixed, transactions: [second, v0] }, { transactionDetails: 'signatures' });
  expect(encoded).toStrictEqual({
    ...SUMMARY,
    rewards: [],
    signatures: ['first', v0.transaction.signatures[0]],
  });
});

test('none has neither transactions nor signatures', () => {
  expect(encodeBlock(mixed, { transactionDetails: 'none', rewards: false })).toStrictEqual(SUMMARY);
});

test.each(['json', 'jsonParsed', 'base64'] as const)('accounts has the same form under %s', (encoding) => {
  expect(encodeBlock(block, { transactionDetails: 'accounts', encoding })).toStrictEqual({
    ...SUMMARY,
    rewards: [],
    transactions: [
      {
        transaction: encodeAccountsTransaction(legacy.transaction, NOTHING_LOADED),
        meta: encodeAccountsMeta(legacy.meta, true),
      },
    ],
  });
});

test('jsonParsed parses transactions and their meta', () => {
  const encoded = encodeBlock(block, { encoding: 'jsonParsed' });
  expect(encoded).toMatchObject({
    transactions: [{ transaction: { message: { instructions: [{}, { program: 'system' }, {}] } } }],
  });
  expect(encoded).not.toHaveProperty('transactions.0.meta.loadedAddresses');
});

describe('versions', () => {
  test.each(['full', 'accounts'] as const)(
    '%s refuses one that the client cannot read',
    (transactionDetails) => {
      expect(() => encodeBlock(mixed, { transactionDetails })).toThrow(
        expect.objectContaining({ code: 'transactionVersionNotSupported' }),
      );
    },
  );

  test.each(['full', 'accounts'] as const)(
    '%s shows them to a client that reads them',
    (transactionDetails) => {
      const options = {
        transactionDetails,
        maxSupportedTransactionVersion: 0,
        encoding: 'jsonParsed',
      } as const;
      expect(encodeBlock(mixed, options)).toMatchObject({
        transactions: [{ version: 'legacy' }, { version: 0 }],
      });
    },
  );
});

test('the first block of an epoch has vote rewards and says how many blocks pay stakes', () => {
  const reward = {
    address: address(1),
    type: 'Voting',
    lamports: 5n,
    postBalance: 9n,
    commissionBps: 700,
  } as const;
  const first = { ...block, rewards: { paid: [reward], due: [] } };
  const shown = {
    pubkey: address(1),
    lamports: 5n,
    postBalance: 9n,
    rewardType: 'Voting',
    commission: null,
    commissionBps: 700,
  };
  expect(encodeBlock(first, { transactionDetails: 'none' })).toStrictEqual({
    ...SUMMARY,
    rewards: [shown],
    numRewardPartitions: 1n,
  });
  const next = { ...block, rewards: { paid: [reward] } };
  expect(encodeBlock(next, { transactionDetails: 'none' })).toStrictEqual({ ...SUMMARY, rewards: [shown] });
  expect(encodeBlock(next, { transactionDetails: 'none', rewards: false })).toStrictEqual(SUMMARY);
});
