import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { build, fundedWallet, memo, SOL, signed, transfer } from './transactions.ts';

const PROCESSED = { encoding: 'base64', commitment: 'processed' } as const;

test('a simulation tells what the transaction would do, and keeps nothing', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const { value, context } = await test.call(
    'simulateTransaction',
    signed(test, [wallet], transfer(wallet, recipient, SOL)),
    PROCESSED,
  );
  expect(context.slot).toBe(32n);
  expect(value).toEqual({
    err: null,
    logs: [
      'Program 11111111111111111111111111111111 invoke [1]',
      'Program 11111111111111111111111111111111 success',
    ],
    accounts: null,
    unitsConsumed: 150n,
    loadedAccountsDataSize: 64 + 64 + 21,
    returnData: null,
    innerInstructions: null,
    replacementBlockhash: null,
    fee: 5000n,
    preBalances: [10n * SOL, 0n, 1n],
    postBalances: [9n * SOL - 5000n, SOL, 1n],
    preTokenBalances: [],
    postTokenBalances: [],
    loadedAddresses: { writable: [], readonly: [] },
  });
  expect((await test.call('getBalance', recipient.toBase58(), { commitment: 'processed' })).value).toBe(0n);
});

test('signatures are checked only where sigVerify asks for it', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const transaction = build(test, [wallet], memo('x'));
  transaction.signatures.splice(0, 1, { publicKey: wallet.publicKey, signature: Buffer.alloc(64) });
  const text = transaction
    .serialize({ verifySignatures: false, requireAllSignatures: false })
    .toString('base64');
  expect((await test.call('simulateTransaction', text, PROCESSED)).value.err).toBeNull();
  expect(
    (await test.call('simulateTransaction', text, { ...PROCESSED, sigVerify: true })).value,
  ).toMatchObject({
    err: 'SignatureFailure',
    logs: [],
    fee: null,
    preBalances: null,
    postTokenBalances: null,
    loadedAddresses: { writable: [], readonly: [] },
  });
  const conflict = await test.refusal('simulateTransaction', text, {
    ...PROCESSED,
    sigVerify: true,
    replaceRecentBlockhash: true,
  });
  expect(conflict.code).toBe('sigVerifyConflict');
});

test('a transaction that is refused before it runs has its balances, the same before and after', async () => {
  const test = newLedger();
  const [wallet, recipient] = [await fundedWallet(test), Keypair.generate().publicKey];
  const stale = build(test, [wallet], transfer(wallet, recipient, SOL));
  stale.recentBlockhash = '11111111111111111111111111111111';
  stale.sign(wallet);
  const nobody = Keypair.generate();
  const poor = signed(test, [nobody], transfer(nobody, recipient, SOL));
  const value = async (text: string) => (await test.call('simulateTransaction', text, PROCESSED)).value;
  const told = (err: string, balances: readonly bigint[]) => ({
    err,
    logs: [],
    fee: null,
    unitsConsumed: 0n,
    preBalances: balances,
    postBalances: balances,
    preTokenBalances: [],
    postTokenBalances: [],
    loadedAddresses: { writable: [], readonly: [] },
  });
  const refused = await value(stale.serialize().toString('base64'));
  expect(refused).toMatchObject(told('BlockhashNotFound', [10n * SOL, 0n, 1n]));
  expect(await value(poor)).toMatchObject(told('AccountNotFound', [0n, 0n, 1n]));
});

test('replaceRecentBlockhash takes any blockhash and tells the one that it used', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const transaction = build(test, [wallet], memo('x'));
  transaction.recentBlockhash = '11111111111111111111111111111111';
  transaction.sign(wallet);
  const text = transaction.serialize().toString('base64');
  expect((await test.call('simulateTransaction', text, PROCESSED)).value.err).toBe('BlockhashNotFound');
  const { value } = await test.call('simulateTransaction', text, {
    ...PROCESSED,
    replaceRecentBlockhash: true,
  });
  expect(value).toMatchObject({
    err: null,
    replacementBlockhash: (await test.call('getLatestBlockhash', { commitment: 'processed' })).value,
  });
});

test('accounts are given as the simulation leaves them, null where there is none or it failed', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const other = test.ledger.genesis.faucet.address;
  const addresses = [recipient.toBase58(), other, Keypair.generate().publicKey.toBase58()];
  const simulate = async (lamports: bigint) =>
    test.call('simulateTransaction', signed(test, [wallet], transfer(wallet, recipient, lamports)), {
      ...PROCESSED,
      accounts: { addresses },
    });
  expect((await simulate(SOL)).value.accounts).toMatchObject([
    { lamports: SOL, data: ['', 'base64'] },
    { lamports: expect.any(BigInt) },
    null,
  ]);
  expect((await simulate(99n * SOL)).value.accounts).toEqual([null, null, null]);
  const text = signed(test, [wallet], memo('x'));
  const many = await test.refusal('simulateTransaction', text, { ...PROCESSED, accounts: { addresses } });
  expect(many.message).toBe('Too many accounts provided; max 2');
});

test('a failed simulation tells the fee and the balances that the failure would leave', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const text = signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, 99n * SOL));
  expect((await test.call('simulateTransaction', text, PROCESSED)).value).toMatchObject({
    err: { InstructionError: [0, { Custom: 1 }] },
    fee: 5000n,
    postBalances: [10n * SOL - 5000n, 0n, 1n],
  });
});

test('a simulation sees the state of its commitment, in the runtime too', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  test.tick();
  const text = signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, 12n * SOL));
  const funded = await test.call('requestAirdrop', wallet.publicKey.toBase58(), 10n * SOL);
  expect(funded).toBeTypeOf('string');
  const at = async (commitment: 'processed' | 'confirmed') =>
    (await test.call('simulateTransaction', text, { encoding: 'base64', commitment })).value.err;
  expect(await at('processed')).toBeNull();
  expect(await at('confirmed')).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(await at('processed')).toBeNull();
});

test('logs beyond 10,000 bytes are cut as on a validator', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const instructions = Array.from({ length: 30 }, () => memo('x'.repeat(30)));
  const { value } = await test.call(
    'simulateTransaction',
    signed(test, [wallet], ...instructions),
    PROCESSED,
  );
  expect(value.logs).not.toContain('Log truncated');
  const long = Array.from({ length: 60 }, () => memo('0123456789'));
  const cut = await test.call('simulateTransaction', signed(test, [wallet], ...long), PROCESSED);
  expect(cut.value.logs).toContain('Log truncated');
  expect(cut.value.logs?.join('').length).toBeLessThan(10_020);
});
