import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { build, fundedWallet, landed, sendNow, signed, SOL, transfer } from './transactions.ts';

test('each commitment has its own latest blockhash, valid for 150 blocks', async () => {
  const { call } = newLedger();
  const confirmed = await call('getLatestBlockhash', { commitment: 'confirmed' });
  expect(confirmed.value.lastValidBlockHeight).toBe(31n + 150n);
  expect(confirmed.value.blockhash).toBe(
    (await call('getBlock', 31, { commitment: 'confirmed' }))?.blockhash,
  );
  const finalized = await call('getLatestBlockhash');
  expect(finalized.value).toMatchObject({
    blockhash: await call('getGenesisHash'),
    lastValidBlockHeight: 150n,
  });
});

test('a blockhash is valid up to an age of 150 blocks and not beyond', async () => {
  const { call, tick } = newLedger();
  const { blockhash } = (await call('getLatestBlockhash', { commitment: 'confirmed' })).value;
  const isValid = async () => (await call('isBlockhashValid', blockhash, { commitment: 'confirmed' })).value;
  tick(150);
  expect(await isValid()).toBe(true);
  tick();
  expect(await isValid()).toBe(false);
  expect((await call('isBlockhashValid', Keypair.generate().publicKey.toBase58())).value).toBe(false);
});

test('a transaction with an expired blockhash is refused by the preflight, and dropped without one', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const text = signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL));
  test.tick(152);
  const error = await test.refusal('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect(error.message).toBe('Transaction simulation failed: Blockhash not found');
  expect(await landed(test, await sendNow(test, text))).toBeNull();
});

test('the fee of a message is null once its blockhash has expired', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const message = build(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL))
    .serializeMessage()
    .toString('base64');
  expect((await test.call('getFeeForMessage', message, { commitment: 'processed' })).value).toBe(5000n);
  expect((await test.call('getFeeForMessage', message, { commitment: 'finalized' })).value).toBeNull();
  test.tick(152);
  expect((await test.call('getFeeForMessage', message, { commitment: 'processed' })).value).toBeNull();
});

test('text that is no message is refused in the words of a node', async () => {
  const { refusal } = newLedger();
  expect((await refusal('getFeeForMessage', 'someInvalidMessage')).message).toBe(
    'invalid base64 encoding: InvalidPadding',
  );
  expect((await refusal('getFeeForMessage', 'some+Invalid*')).message).toBe(
    'invalid base64 encoding: InvalidByte(12, 42)',
  );
  expect((await refusal('getFeeForMessage', 'AQAB')).message).toMatch(
    /^failed to deserialize .*: Attempting to read 1 bytes$/,
  );
});
