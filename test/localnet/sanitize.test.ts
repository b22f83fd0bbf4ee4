import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { build, fundedWallet, MEMO_PROGRAM, price, sendNow, signed, transfer } from './transactions.ts';

const BASE64 = { encoding: 'base64' } as const;
const TOO_LONG = 'invalid transaction: Transaction failed to sanitize accounts offsets correctly';
const empty = new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.alloc(0) });
const budgetBytes = (...bytes: number[]) =>
  new TransactionInstruction({
    programId: ComputeBudgetProgram.programId,
    keys: [],
    data: Buffer.from(bytes),
  });

test.each([
  [
    'a repeated one',
    [price(1), price(2)],
    'Transaction contains a duplicate instruction (1) that is not allowed',
  ],
  ['one without data', [budgetBytes()], 'Error processing Instruction 0: invalid instruction data'],
  ['an unknown one', [empty, budgetBytes(9)], 'Error processing Instruction 1: invalid instruction data'],
  ['one cut short', [budgetBytes(3, 1, 0)], 'Error processing Instruction 0: invalid instruction data'],
])(
  'of the compute budget instructions, %s makes a transaction invalid before it is simulated',
  async (_name, instructions, reason) => {
    const run = newLedger();
    const text = signed(run, [await fundedWallet(run)], ...instructions);
    const refused = { code: 'transactionInvalid', message: `invalid transaction: ${reason}` };
    expect(await run.refusal('sendTransaction', text, BASE64)).toMatchObject(refused);
    expect(await run.refusal('sendTransaction', text, { ...BASE64, skipPreflight: true })).toMatchObject(
      refused,
    );
    expect(await run.refusal('simulateTransaction', text, BASE64)).toMatchObject(refused);
  },
);

test('a heap size that cannot be granted fails the simulation, which names its instruction', async () => {
  const run = newLedger();
  const heap = (bytes: number) => ComputeBudgetProgram.requestHeapFrame({ bytes });
  const wallet = await fundedWallet(run);
  const simulate = async (bytes: number) =>
    (
      await run.call('simulateTransaction', signed(run, [wallet], empty, heap(bytes)), {
        ...BASE64,
        commitment: 'processed',
      })
    ).value.err;
  expect(await simulate(32 * 1024)).toBeNull();
  expect(await simulate(256 * 1024)).toBeNull();
  for (const bytes of [31 * 1024, 257 * 1024, 32 * 1024 + 1])
    expect(await simulate(bytes)).toEqual({ InstructionError: [1, 'InvalidInstructionData'] });
});

test('a transaction has at most 64 instructions', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const withMemos = (count: number): string => signed(run, [wallet], ...new Array(count).fill(empty));
  await sendNow(run, withMemos(64));
  expect(run.ledger.blocks.openTransactions).toHaveLength(2);
  expect((await run.refusal('sendTransaction', withMemos(65), BASE64)).message).toBe(TOO_LONG);
});

test('an instruction names at most 255 accounts', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const naming = (count: number): string => {
    const keys = new Array(count).fill({ pubkey: wallet.publicKey, isSigner: true, isWritable: true });
    return signed(
      run,
      [wallet],
      new TransactionInstruction({ programId: MEMO_PROGRAM, keys, data: Buffer.alloc(0) }),
    );
  };
  await run.call('simulateTransaction', naming(255), BASE64);
  expect((await run.refusal('simulateTransaction', naming(256), BASE64)).message).toBe(TOO_LONG);
});

test('a message that contradicts itself, is too long or loads what is not there has no fee', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const message = build(run, [wallet], transfer(wallet, Keypair.generate().publicKey, 1n)).serializeMessage();
  const fee = async (bytes: Uint8Array) =>
    (
      await run.refusal('getFeeForMessage', Buffer.from(bytes).toString('base64'), {
        commitment: 'processed',
      })
    ).message;
  expect(await fee(message.fill(200, 2, 3))).toBe('invalid transaction message: index out of bounds');
  expect(await fee(new Uint8Array(1_233))).toBe(
    'decoded solana_message::versions::VersionedMessage too large: 1233 bytes (max: 1232 bytes)',
  );
  expect(await fee(new Uint8Array(1_234))).toBe(
    'base64 encoded solana_message::versions::VersionedMessage too large: 1648 bytes (max: encoded/raw 1644/1232)',
  );
  const table = Keypair.generate().publicKey;
  expect(await fee(lookingUp(wallet.publicKey, table))).toBe(
    "invalid transaction message: Transaction loads an address table account that doesn't exist",
  );
});

/** A version 0 message that loads an account from a lookup table. */
function lookingUp(payerKey: PublicKey, key: PublicKey): Uint8Array {
  const loaded = Keypair.generate().publicKey;
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: [loaded],
  };
  const keys = [{ pubkey: loaded, isSigner: false, isWritable: false }];
  const instructions = [new TransactionInstruction({ ...empty, keys })];
  const recentBlockhash = PublicKey.default.toBase58();
  const message = new TransactionMessage({ payerKey, recentBlockhash, instructions });
  return new VersionedTransaction(
    message.compileToV0Message([new AddressLookupTableAccount({ key, state })]),
  ).message.serialize();
}
