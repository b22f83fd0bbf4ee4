import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, memo, SOL, sendNow, signed, transfer } from './transactions.ts';

const CONFIRMED = { commitment: 'confirmed' } as const;

async function withHistory() {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const sent: string[] = [];
  for (let count = 1n; count <= 6n; count++) {
    sent.push(
      await sendNow(
        test,
        signed(test, [wallet], transfer(wallet, recipient, SOL + count), memo(`number ${count}`)),
      ),
    );
    if (count % 2n === 0n) test.tick();
  }
  return { test, address: recipient.toBase58(), newestFirst: sent.toReversed() };
}

test('signatures come newest first, with memo, index and status', async () => {
  const { test, address, newestFirst } = await withHistory();
  const found = await test.call('getSignaturesForAddress', address, CONFIRMED);
  expect(found.map(({ signature }) => signature)).toEqual(newestFirst);
  expect(found[0]).toMatchObject({
    slot: 34n,
    memo: '[8] number 6',
    transactionIndex: 1,
    confirmationStatus: 'confirmed',
    err: null,
  });
  expect(await test.call('getSignaturesForAddress', address)).toEqual([]);
  test.tick(29);
  const finalized = await test.call('getSignaturesForAddress', address);
  expect(finalized).toMatchObject([{ confirmationStatus: 'finalized', slot: 32n }, { slot: 32n }]);
});

test('before and until are both exclusive, and limit counts', async () => {
  const { test, address, newestFirst } = await withHistory();
  const between = { ...CONFIRMED, before: newestFirst[1] ?? '', until: newestFirst[4] ?? '' };
  const found = async (config: object) =>
    (await test.call('getSignaturesForAddress', address, { ...CONFIRMED, ...config })).map(
      ({ signature }) => signature,
    );
  expect(await found(between)).toEqual(newestFirst.slice(2, 4));
  expect(await found({ limit: 2 })).toEqual(newestFirst.slice(0, 2));
  expect(await found({ before: newestFirst[0], limit: 1 })).toEqual(newestFirst.slice(1, 2));
});

test('an unknown bound is named', async () => {
  const { test, address } = await withHistory();
  const unknown = '1'.repeat(64);
  const error = await test.refusal('getSignaturesForAddress', address, { before: unknown });
  expect(error.message).toBe(`Transaction ${unknown} not found`);
});
