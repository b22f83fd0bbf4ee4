import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { encodeBase58 } from '../../src/localnet/bytes/base58.ts';
import { errorData } from '../../src/core/service-error.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { build, fundedWallet, memo, SOL, signed, transfer } from './transactions.ts';

const NOTHING = {
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

async function preflight(test: TestLedger, text: string) {
  const error = await test.refusal('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'processed',
  });
  return { code: error.code, message: error.message, data: errorData(error) };
}

test('an unknown payer, a poor payer and an unknown blockhash are refused before anything runs', async () => {
  const test = newLedger();
  expect(await preflight(test, signed(test, [Keypair.generate()], memo('x')))).toEqual({
    code: 'preflightFailure',
    message:
      'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
    data: { err: 'AccountNotFound', ...NOTHING },
  });
  const poor = await fundedWallet(test, 650_240n);
  expect(await preflight(test, signed(test, [poor], memo('x')))).toMatchObject({
    message:
      'Transaction simulation failed: Transaction results in an account (0) with insufficient funds for rent',
  });
  const rich = await fundedWallet(test);
  const stale = build(test, [rich], memo('x'));
  stale.recentBlockhash = '11111111111111111111111111111111';
  stale.sign(rich);
  expect((await preflight(test, stale.serialize().toString('base64'))).data).toEqual({
    err: 'BlockhashNotFound',
    ...NOTHING,
  });
});

test('an instruction that fails is named with its program error and its logs', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const refused = await preflight(
    test,
    signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, 11n * SOL)),
  );
  expect(refused).toMatchObject({
    message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
    data: {
      err: { InstructionError: [0, { Custom: 1 }] },
      unitsConsumed: 150n,
      accounts: null,
      preBalances: null,
    },
  });
  expect(refused.data).toMatchObject({
    logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
  });
  expect(test.ledger.blocks.openTransactions).toHaveLength(1);
});

test('the preflight runs in the bank of its commitment, finalized by default', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const text = signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL));
  expect((await test.refusal('sendTransaction', text, { encoding: 'base64' })).message).toContain(
    'Blockhash not found',
  );
  test.tick(32);
  const later = signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL));
  const confirmed = await test.call('sendTransaction', later, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect((await test.call('getSignatureStatuses', [confirmed])).value[0]).toMatchObject({ err: null });
});

test('a preflight at confirmed does not see what is only processed', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const text = signed(test, [wallet], memo('x'));
  const error = await test.refusal('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect(errorData(error)).toMatchObject({ err: 'AccountNotFound' });
  test.tick();
  await test.call('sendTransaction', text, { encoding: 'base64', preflightCommitment: 'confirmed' });
  expect(test.ledger.blocks.openTransactions).toMatchObject([{ meta: { err: null } }]);
});

test('a base-58 transaction is taken by default', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  test.tick(32);
  const text = encodeBase58(Buffer.from(signed(test, [wallet], memo('x')), 'base64'));
  expect(await test.call('sendTransaction', text, { preflightCommitment: 'confirmed' })).toMatch(
    /^[1-9A-Za-z]{86,88}$/,
  );
});

test.each([
  ['nobody has signed', []],
  ['one of two signers has not signed', [Keypair.generate()]],
])('a transaction that %s is refused with preflight and without', async (_, others) => {
  const test = newLedger();
  const instruction = memo('x', ...others.map(({ publicKey }) => publicKey));
  const wire = Buffer.from(signed(test, [await fundedWallet(test), ...others], instruction), 'base64');
  const lastAt = 1 + others.length * 64;
  wire.fill(0, lastAt, lastAt + 64);
  const refusal = {
    code: 'preflightFailure',
    message: 'Transaction simulation failed: Transaction did not pass signature verification',
    data: { err: 'SignatureFailure', ...NOTHING },
  };
  for (const skipPreflight of [false, true]) {
    const config = { encoding: 'base64', skipPreflight };
    const error = await test.refusal('sendTransaction', wire.toString('base64'), config);
    expect({ code: error.code, message: error.message, data: errorData(error) }).toEqual(refusal);
  }
});

test.each(['sendTransaction', 'simulateTransaction'] as const)(
  '%s tells of a slot that is not reached before it tells of a transaction that contradicts itself',
  async (method) => {
    const test = newLedger();
    const text = signed(test, [await fundedWallet(test)], memo('x'));
    const odd = Buffer.from(text, 'base64').fill(2, 65, 66).toString('base64');
    const refusal = (minContextSlot: number) =>
      test.refusal(method, odd, { encoding: 'base64', minContextSlot });
    expect((await refusal(1_000)).code).toBe('minContextSlotNotReached');
    expect((await refusal(0)).code).toBe('transactionInvalid');
  },
);
