import { SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { encodeAccountsMeta, encodeMeta, encodeParsedMeta } from '../../../src/localnet/encode/meta.ts';
import { accountKeys } from '../../../src/localnet/transaction/account-keys.ts';
import { address } from './instruction-case.ts';
import { LOADED, sampleCall, sampleRecord } from './transaction-case.ts';

const plain = sampleRecord(0).meta;
const keys = accountKeys(sampleRecord(0).transaction.message, LOADED);
const calling = { ...plain, innerInstructions: [{ index: 2, instructions: [sampleCall(keys)] }] };

const OUTCOME = {
  err: null,
  status: { Ok: null },
  fee: 5000n,
  preBalances: [10n, 0n],
  postBalances: [5n, 18446744073709551615n],
  preTokenBalances: [],
  postTokenBalances: plain.postTokenBalances,
};

test('has every member of the full forms; loaded addresses only where keys are raw', () => {
  const full = {
    ...OUTCOME,
    innerInstructions: [],
    logMessages: ['Program log: hi'],
    rewards: [],
    computeUnitsConsumed: 450n,
    costUnits: 1778n,
  };
  expect(encodeMeta(plain, true)).toStrictEqual({ ...full, loadedAddresses: LOADED });
  expect(encodeParsedMeta(plain, keys, true)).toStrictEqual(full);
});

test('shows the outcome alone under transactionDetails accounts, with rewards only if asked for', () => {
  expect(encodeAccountsMeta(plain, true)).toStrictEqual({ ...OUTCOME, rewards: [] });
  expect(encodeAccountsMeta(plain, false)).toStrictEqual(OUTCOME);
});

test('rewards not asked for are null in the full forms', () => {
  expect(encodeMeta(plain, false).rewards).toBeNull();
  expect(encodeParsedMeta(plain, keys, false).rewards).toBeNull();
});

test('return data is there only if a program left some', () => {
  const returnData = { programId: address(4), data: Uint8Array.of(1, 2, 3) };
  const shown = { programId: address(4), data: ['AQID', 'base64'] };
  expect(encodeMeta({ ...plain, returnData }, true).returnData).toEqual(shown);
  expect(encodeParsedMeta({ ...plain, returnData }, keys, true).returnData).toEqual(shown);
  expect(encodeMeta(plain, true)).not.toHaveProperty('returnData');
});

test('an error is both err and status', () => {
  const err = { InstructionError: [1, { Custom: 6 }] } as const;
  const failed = { ...plain, err: { InstructionError: [1, { Custom: 6 }] as [number, { Custom: number }] } };
  expect(encodeMeta(failed, true)).toMatchObject({ err, status: { Err: err } });
  expect(encodeAccountsMeta(failed, true)).toMatchObject({ err, status: { Err: err } });
});

test('calls keep their indexes in the raw forms and are parsed in the other, at their own height', () => {
  const system = SystemProgram.programId.toBase58();
  expect(encodeMeta(calling, true).innerInstructions).toEqual([
    {
      index: 2,
      instructions: [
        {
          programIdIndex: keys.indexOf(system),
          accounts: [0, keys.indexOf(address(2))],
          data: expect.any(String),
          stackHeight: 2,
        },
      ],
    },
  ]);
  const info = { source: address(1), destination: address(2), lamports: 8n };
  expect(encodeParsedMeta(calling, keys, true).innerInstructions).toEqual([
    {
      index: 2,
      instructions: [
        { program: 'system', programId: system, parsed: { type: 'transfer', info }, stackHeight: 2 },
      ],
    },
  ]);
});
