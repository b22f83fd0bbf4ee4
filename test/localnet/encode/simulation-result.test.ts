import { expect, test } from 'vitest';
import {
  encodePreflight,
  encodeSimulation,
  type Simulation,
} from '../../../src/localnet/encode/simulation-result.ts';
import { accountKeys } from '../../../src/localnet/transaction/account-keys.ts';
import { address } from './instruction-case.ts';
import { LOADED, sampleCall, sampleRecord } from './transaction-case.ts';

const NOTHING_ASKED = { accounts: null, innerInstructions: null, replacementBlockhash: null };

const refused: Simulation = {
  err: 'AccountNotFound',
  logs: [],
  unitsConsumed: 0n,
  loadedAccountsDataSize: 0,
  returnData: null,
  fee: null,
  balances: null,
  loadedAddresses: LOADED,
};

const done: Simulation = {
  err: null,
  logs: ['Program log: hi'],
  unitsConsumed: 450n,
  loadedAccountsDataSize: 1234,
  returnData: { programId: address(4), data: Uint8Array.of(1) },
  fee: 5000n,
  balances: {
    preBalances: [10n],
    postBalances: [5n],
    preTokenBalances: [],
    postTokenBalances: sampleRecord(0).meta.postTokenBalances,
  },
  loadedAddresses: LOADED,
};

/** The result that kit's own tests expect of a refused transaction. */
const REFUSED = {
  err: 'AccountNotFound',
  accounts: null,
  fee: null,
  innerInstructions: null,
  loadedAccountsDataSize: 0,
  loadedAddresses: null,
  logs: [],
  postBalances: null,
  postTokenBalances: null,
  preBalances: null,
  preTokenBalances: null,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: 0n,
};

test('a refused transaction has every member, most of them null; its addresses are told but in preflight data', () => {
  expect(encodeSimulation(refused, NOTHING_ASKED)).toStrictEqual({ ...REFUSED, loadedAddresses: LOADED });
  expect(encodePreflight(refused)).toStrictEqual(REFUSED);
});

test('a transaction that ran shows its outcome and balances', () => {
  expect(encodeSimulation(done, NOTHING_ASKED)).toStrictEqual({
    ...REFUSED,
    err: null,
    logs: ['Program log: hi'],
    unitsConsumed: 450n,
    loadedAccountsDataSize: 1234,
    returnData: { programId: address(4), data: ['AQ==', 'base64'] },
    fee: 5000n,
    preBalances: [10n],
    postBalances: [5n],
    preTokenBalances: [],
    postTokenBalances: done.balances?.postTokenBalances,
    loadedAddresses: LOADED,
  });
});

test('preflight data leaves balances out even where there are some, and keeps the fee', () => {
  const shown = encodePreflight({ ...done, err: 'AlreadyProcessed' });
  expect(shown).toMatchObject({ err: 'AlreadyProcessed', fee: 5000n, unitsConsumed: 450n });
  expect(shown).toMatchObject({ preBalances: null, postTokenBalances: null, loadedAddresses: null });
});

test('shows what was asked for: accounts, parsed calls, the blockhash used', () => {
  const keys = accountKeys(sampleRecord(0).transaction.message, LOADED);
  const calls = [{ index: 2, instructions: [sampleCall(keys)] }];
  const replacementBlockhash = { blockhash: address(5), lastValidBlockHeight: 150n };
  const shown = encodeSimulation(done, {
    accounts: [null],
    innerInstructions: { calls, keys },
    replacementBlockhash,
  });
  expect(shown).toMatchObject({
    accounts: [null],
    replacementBlockhash,
    innerInstructions: [{ index: 2, instructions: [{ program: 'system', stackHeight: 2 }] }],
  });
  const none = encodeSimulation(done, { ...NOTHING_ASKED, innerInstructions: { calls: [], keys } });
  expect(none.innerInstructions).toEqual([]);
});
