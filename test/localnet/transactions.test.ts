import {
  ComputeBudgetProgram,
  Ed25519Program,
  Keypair,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { build, fundedWallet, landed, memo, price, SOL, sendNow, signed, transfer } from './transactions.ts';

const RENT_EXEMPT = 650_240n;

test('a transfer moves lamports, costs 5000 and records what it did', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const signature = await test.call(
    'sendTransaction',
    signed(test, [wallet], transfer(wallet, recipient, SOL)),
    {
      encoding: 'base64',
      preflightCommitment: 'processed',
    },
  );
  expect(await landed(test, signature)).toEqual({
    err: null,
    fee: 5000n,
    preBalances: [10n * SOL, 0n, 1n],
    postBalances: [9n * SOL - 5000n, SOL, 1n],
    preTokenBalances: [],
    postTokenBalances: [],
    innerInstructions: [],
    logs: [
      'Program 11111111111111111111111111111111 invoke [1]',
      'Program 11111111111111111111111111111111 success',
    ],
    returnData: null,
    computeUnitsConsumed: 150n,
    costUnits: 720n + 2n * 300n + 3n + 150n + 8n,
    loadedAddresses: { writable: [], readonly: [] },
  });
});

test('a failed transaction lands: the fee is taken, all else is undone', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const [first, second] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
  const signature = await sendNow(
    test,
    signed(test, [wallet], transfer(wallet, first, SOL), transfer(wallet, second, 20n * SOL)),
  );
  expect(await landed(test, signature)).toMatchObject({
    err: { InstructionError: [1, { Custom: 1 }] },
    fee: 5000n,
  });
  const balances = [wallet.publicKey, first].map(
    (key) => test.ledger.accounts.read(key.toBase58(), test.ledger.blocks.openSlot)?.lamports,
  );
  expect(balances).toEqual([10n * SOL - 5000n, undefined]);
});

test('the same transaction is processed once', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const text = signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL));
  const signature = await sendNow(test, text);
  test.tick();
  expect(await sendNow(test, text)).toBe(signature);
  expect(test.ledger.blocks.openTransactions).toEqual([]);
  const error = await test.refusal('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect(error.message).toBe('Transaction simulation failed: This transaction has already been processed');
});

test('a wrong signature is dropped without preflight and named by it', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const transaction = build(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL));
  transaction.signatures[0]?.signature?.fill(7);
  const text = transaction.serialize({ verifySignatures: false }).toString('base64');
  expect(await landed(test, await sendNow(test, text))).toBeNull();
  const error = await test.refusal('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'processed',
  });
  expect(error.message).toBe(
    'Transaction simulation failed: Transaction did not pass signature verification',
  );
});

test('the priority fee is the unit limit times the price, rounded up', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const fee = async (...instructions: Parameters<typeof build>[2][]) => {
    const transaction = build(test, [wallet], ...instructions);
    const message = transaction.serializeMessage().toString('base64');
    const meta = await landed(test, await sendNow(test, transaction.serialize().toString('base64')));
    expect((await test.call('getFeeForMessage', message, { commitment: 'processed' })).value).toBe(meta?.fee);
    expect((meta?.preBalances[0] ?? 0n) - (meta?.postBalances[0] ?? 0n)).toBe(meta?.fee);
    return meta?.fee;
  };
  expect(await fee(memo('two instructions of 200,000 and 3,000 units'), price(1_000_001))).toBe(
    5000n + 203_001n,
  );
  expect(
    await fee(memo('own limit'), price(1), ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 })),
  ).toBe(5001n);
});

test('signatures that a precompile verifies are paid for', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const instruction = Ed25519Program.createInstructionWithPrivateKey({
    privateKey: wallet.secretKey,
    message: Buffer.from('signed'),
  });
  const meta = await landed(test, await sendNow(test, signed(test, [wallet], instruction)));
  expect(meta).toMatchObject({ err: null, fee: 10_000n });
  expect((meta?.preBalances[0] ?? 0n) - (meta?.postBalances[0] ?? 0n)).toBe(10_000n);
});

test('calling a program that does not exist, or is none, lands with its error and costs the fee', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const call = async (programId: Keypair['publicKey']) =>
    landed(
      test,
      await sendNow(
        test,
        signed(test, [wallet], new TransactionInstruction({ programId, keys: [], data: Buffer.of(1) })),
      ),
    );
  expect(await call(Keypair.generate().publicKey)).toMatchObject({
    err: 'ProgramAccountNotFound',
    fee: 5000n,
    postBalances: [10n * SOL - 5000n, 0n],
  });
  const other = await fundedWallet(test);
  expect(await call(other.publicKey)).toMatchObject({
    err: 'InvalidProgramForExecution',
    postBalances: [10n * SOL - 10_000n, 10n * SOL],
  });
  const balance = await test.call('getBalance', wallet.publicKey.toBase58(), { commitment: 'processed' });
  expect(balance.value).toBe(10n * SOL - 10_000n);
});

test('an account left below its rent exemption fails the transaction', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const short = await sendNow(
    test,
    signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, RENT_EXEMPT - 1n)),
  );
  expect(await landed(test, short)).toMatchObject({
    err: { InsufficientFundsForRent: { account_index: 1 } },
  });
  const enough = await sendNow(
    test,
    signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, RENT_EXEMPT)),
  );
  expect(await landed(test, enough)).toMatchObject({ err: null });
});

test('a transaction whose payer cannot pay does not land', async () => {
  const test = newLedger();
  const poor = await fundedWallet(test, RENT_EXEMPT);
  expect(await landed(test, await sendNow(test, signed(test, [poor], memo('not paid'))))).toBeNull();
  expect(
    await landed(test, await sendNow(test, signed(test, [Keypair.generate()], memo('nobody')))),
  ).toBeNull();
});

test('an account that is emptied is gone, and its history stays readable', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const address = wallet.publicKey.toBase58();
  test.tick();
  await sendNow(
    test,
    signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, 10n * SOL - 5000n)),
  );
  expect((await test.call('getAccountInfo', address, { commitment: 'processed' })).value).toBeNull();
  expect((await test.call('getAccountInfo', address, { commitment: 'confirmed' })).value).toMatchObject({
    lamports: 10n * SOL,
    rentEpoch: 2n ** 64n - 1n,
    data: '',
  });
});

test('an account can be created with data and owner', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const [account, program] = [Keypair.generate(), Keypair.generate().publicKey];
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.publicKey,
    newAccountPubkey: account.publicKey,
    lamports: 10_000_000,
    space: 8,
    programId: program,
  });
  await sendNow(test, signed(test, [wallet, account], create));
  const found = await test.call('getProgramAccounts', program.toBase58(), {
    commitment: 'processed',
    encoding: 'base64',
  });
  expect(found).toMatchObject([
    { pubkey: account.publicKey.toBase58(), account: { space: 8n, data: ['AAAAAAAAAAA=', 'base64'] } },
  ]);
  expect(await test.call('getProgramAccounts', program.toBase58(), { commitment: 'confirmed' })).toEqual([]);
});
