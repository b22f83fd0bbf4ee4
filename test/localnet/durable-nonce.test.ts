import {
  Keypair,
  NONCE_ACCOUNT_LENGTH,
  NonceAccount,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { durableNonce } from '../../src/localnet/transaction/durable-nonce.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, SOL, sendNow, signed, transfer } from './transactions.ts';

type NonceSetup = { readonly test: TestLedger; readonly wallet: Keypair; readonly nonce: Keypair };

async function withNonce(): Promise<NonceSetup> {
  const test = newLedger();
  const [wallet, nonce] = [await fundedWallet(test), Keypair.generate()];
  const create = SystemProgram.createNonceAccount({
    fromPubkey: wallet.publicKey,
    noncePubkey: nonce.publicKey,
    authorizedPubkey: wallet.publicKey,
    lamports: 10_000_000,
  });
  const signature = await sendNow(test, signed(test, [wallet, nonce], ...create.instructions));
  expect(await landed(test, signature)).toMatchObject({ err: null });
  return { test, wallet, nonce };
}

function storedNonce({ test, nonce }: NonceSetup): string {
  const data = test.ledger.accounts.read(nonce.publicKey.toBase58(), test.ledger.blocks.openSlot)?.data;
  expect(data).toHaveLength(NONCE_ACCOUNT_LENGTH);
  return NonceAccount.fromAccountData(Buffer.from(data ?? [])).nonce;
}

function nonceTransaction(
  { wallet, nonce }: NonceSetup,
  value: string,
  ...instructions: readonly TransactionInstruction[]
): string {
  const advance = SystemProgram.nonceAdvance({
    noncePubkey: nonce.publicKey,
    authorizedPubkey: wallet.publicKey,
  });
  const transaction = new Transaction().add(advance, ...instructions);
  transaction.feePayer = wallet.publicKey;
  transaction.recentBlockhash = value;
  transaction.sign(wallet);
  return transaction.serialize().toString('base64');
}

test('a nonce transaction lands long after it was signed, and only once', async () => {
  const setup = await withNonce();
  const { test, wallet } = setup;
  const value = storedNonce(setup);
  const text = nonceTransaction(setup, value, transfer(wallet, Keypair.generate().publicKey, SOL));
  test.tick(1000);
  expect(await landed(test, await sendNow(test, text))).toMatchObject({ err: null, fee: 5000n });
  expect(storedNonce(setup)).not.toBe(value);
  test.tick();
  const again = await test.refusal('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect(again.message).toBe('Transaction simulation failed: Blockhash not found');
});

test('a failed nonce transaction lands and uses the nonce up', async () => {
  const setup = await withNonce();
  const { test, wallet } = setup;
  test.tick();
  const value = storedNonce(setup);
  const text = nonceTransaction(setup, value, transfer(wallet, Keypair.generate().publicKey, 99n * SOL));
  expect(await landed(test, await sendNow(test, text))).toMatchObject({
    err: { InstructionError: [1, { Custom: 1 }] },
  });
  const next = storedNonce(setup);
  expect(next).not.toBe(value);
  test.tick();
  expect(
    await landed(test, await sendNow(test, nonceTransaction(setup, next, memo('used again')))),
  ).toMatchObject({ err: null });
});

test('the stored nonce follows from the latest blockhash', async () => {
  const setup = await withNonce();
  const { test } = setup;
  test.tick(3);
  await sendNow(test, nonceTransaction(setup, storedNonce(setup), memo('advance')));
  expect(storedNonce(setup)).toBe(
    durableNonce(test.ledger.blocks.blockhash(test.ledger.blocks.openSlot - 1n)),
  );
});

test('a nonce cannot be advanced twice in one slot, nor by a value that it does not store', async () => {
  const setup = await withNonce();
  const { test } = setup;
  expect(
    await landed(test, await sendNow(test, nonceTransaction(setup, storedNonce(setup), memo('same slot')))),
  ).toBeNull();
  test.tick();
  expect(
    await landed(
      test,
      await sendNow(test, nonceTransaction(setup, Keypair.generate().publicKey.toBase58(), memo('x'))),
    ),
  ).toBeNull();
});

test('a transaction that advances its nonce a second time fails, and the nonce is advanced once', async () => {
  const setup = await withNonce();
  const { test, wallet, nonce } = setup;
  test.tick(200);
  const again = SystemProgram.nonceAdvance({
    noncePubkey: nonce.publicKey,
    authorizedPubkey: wallet.publicKey,
  });
  const signature = await sendNow(test, nonceTransaction(setup, storedNonce(setup), again));
  expect(await landed(test, signature)).toMatchObject({
    err: { InstructionError: [1, { Custom: 7 }] },
    logs: expect.arrayContaining(['Advance nonce account: nonce can only advance once per slot']),
  });
  const { blocks } = test.ledger;
  expect(storedNonce(setup)).toBe(durableNonce(blocks.blockhash(blocks.openSlot - 1n)));
});

test('a nonce message has a fee at any time', async () => {
  const setup = await withNonce();
  setup.test.tick(500);
  const bytes = Buffer.from(nonceTransaction(setup, storedNonce(setup), memo('x')), 'base64');
  const { value } = await setup.test.call('getFeeForMessage', bytes.subarray(65).toString('base64'));
  expect(value).toBe(5000n);
});
