import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Keypair,
  type PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import type { Account } from '../../src/localnet/model.ts';
import { feePayerError } from '../../src/localnet/transaction/load-failure.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, MEMO_PROGRAM, sendNow, signed } from './transactions.ts';

const RENT = 650_240n;
const NONCE_RENT = 1_056_640n;
const FEE = 5_000n;
const TINY_LIMIT = Buffer.of(4, 1, 0, 0, 0);

/** Asks to load at most one byte, and an address from a table: the runtime then refuses before it looks at the payer. */
function overloaded(
  { ledger: { blocks } }: TestLedger,
  payer: Keypair,
  table: PublicKey,
  loaded: PublicKey,
): string {
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: [loaded],
  };
  const limit = { programId: ComputeBudgetProgram.programId, keys: [], data: TINY_LIMIT };
  const keys = [{ pubkey: loaded, isSigner: false, isWritable: false }];
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blocks.blockhash(blocks.openSlot - 1n),
    instructions: [
      new TransactionInstruction(limit),
      new TransactionInstruction({ programId: MEMO_PROGRAM, keys, data: Buffer.alloc(0) }),
    ],
  }).compileToV0Message([new AddressLookupTableAccount({ key: table, state })]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  return Buffer.from(transaction.serialize()).toString('base64');
}

async function withTable() {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const loaded = Keypair.generate().publicKey;
  const parties = { authority: wallet.publicKey, payer: wallet.publicKey };
  const recentSlot = run.ledger.blocks.openSlot - 1n;
  const [create, table] = AddressLookupTableProgram.createLookupTable({ ...parties, recentSlot });
  const extend = AddressLookupTableProgram.extendLookupTable({
    ...parties,
    lookupTable: table,
    addresses: [loaded],
  });
  await sendNow(run, signed(run, [wallet], create, extend));
  run.tick();
  const textOf = (payer: Keypair): string => overloaded(run, payer, table, loaded);
  return { run, wallet, textOf };
}

const AT = { encoding: 'base64', preflightCommitment: 'processed' } as const;

test('a payer that the fee would leave below the rent exemption pays nothing, whatever else is wrong', async () => {
  const { run, textOf } = await withTable();
  const poor = await fundedWallet(run, RENT + FEE - 1n);
  expect((await run.refusal('sendTransaction', textOf(poor), AT)).message).toBe(
    'Transaction simulation failed: Transaction results in an account (0) with insufficient funds for rent',
  );
  expect(await landed(run, await sendNow(run, textOf(poor)))).toBeNull();
  const enough = await fundedWallet(run, RENT + FEE);
  expect(await landed(run, await sendNow(run, textOf(enough)))).toMatchObject({
    err: 'MaxLoadedAccountsDataSizeExceeded',
    postBalances: [RENT, 1n, expect.anything(), 0n],
  });
});

test('an account of a program is never debited for a fee', async () => {
  const { run, wallet, textOf } = await withTable();
  const owned = Keypair.generate();
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.publicKey,
    newAccountPubkey: owned.publicKey,
    lamports: 5_000_000,
    space: 8,
    programId: MEMO_PROGRAM,
  });
  await sendNow(run, signed(run, [wallet, owned], create));
  expect((await run.refusal('sendTransaction', textOf(owned), AT)).message).toBe(
    'Transaction simulation failed: This account may not be used to pay transaction fees',
  );
  expect(await landed(run, await sendNow(run, textOf(owned)))).toBeNull();
  const { value } = await run.call('getBalance', owned.publicKey.toBase58(), { commitment: 'processed' });
  expect(value).toBe(5_000_000n);
});

const wallet = (lamports: bigint, size = 0): Account => ({
  lamports,
  data: new Uint8Array(size),
  owner: SystemProgram.programId.toBase58(),
  executable: false,
  rentEpoch: 0n,
});
const nonce = (lamports: bigint): Account => {
  const account = wallet(lamports, 80);
  account.data.set([1, 0, 0, 0, 1]);
  return account;
};

test.each([
  ['nobody', undefined, 'AccountNotFound'],
  ['a wallet emptied by the fee', wallet(FEE), undefined],
  ['a wallet with less than the fee', wallet(FEE - 1n), 'InsufficientFundsForFee'],
  ['a wallet left with one lamport', wallet(FEE + 1n), { InsufficientFundsForRent: { account_index: 0 } }],
  ['a wallet left with the rent exemption', wallet(RENT + FEE), undefined],
  ['a wallet that holds data', wallet(5_000_000n, 8), 'InvalidAccountForFee'],
  ['80 bytes that are no nonce', wallet(5_000_000n, 80), 'InvalidAccountForFee'],
  ['a nonce account that stays free of rent', nonce(NONCE_RENT + FEE), undefined],
  ['a nonce account that would not', nonce(NONCE_RENT + FEE - 1n), 'InsufficientFundsForFee'],
  ['a nonce account emptied by the fee', nonce(FEE), 'InsufficientFundsForFee'],
])('as fee payer: %s', (_name, account, error) => {
  expect(feePayerError(account, FEE, (size) => (128n + size) * 5_080n)).toEqual(error);
});
