import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { SOL, fundedWallet, sendNow, signed, transfer } from '../transactions.ts';
import { serveLedger } from './serve-ledger.ts';

test('slots are told as they are opened, roots as they are finalized, and neither has a context', async () => {
  const { tick, connect } = await serveLedger();
  const client = await connect();
  const slots = await client.subscribe('slotSubscribe');
  const roots = await client.subscribe('rootSubscribe');
  tick(3);
  expect(await client.notificationsOf(slots)).toEqual([
    { slot: 33, parent: 32, root: 1 },
    { slot: 34, parent: 33, root: 2 },
    { slot: 35, parent: 34, root: 3 },
  ]);
  expect(await client.notificationsOf(roots)).toEqual([1, 2, 3]);
});

test('what was in a slot is told before the next slot is', async () => {
  const { call, tick, connect } = await serveLedger();
  const client = await connect();
  const address = Keypair.generate().publicKey.toBase58();
  const slots = await client.subscribe('slotSubscribe');
  const account = await client.subscribe('accountSubscribe', address);
  const logs = await client.subscribe('logsSubscribe', { mentions: [address] }, { commitment: 'confirmed' });
  await call('requestAirdrop', address, SOL);
  tick(32);
  await client.notificationsOf(slots);
  const order = client.notifications().map(({ params }) => params.subscription);
  expect(order).toEqual([logs, ...Array<number>(31).fill(slots), account, slots]);
});

test('the steps of a slot: what it holds, its levels, and the next one', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const id = await client.subscribe('slotsUpdatesSubscribe');
  const wallet = await fundedWallet(served, SOL);
  await sendNow(served, signed(served, [wallet], transfer(wallet, Keypair.generate().publicKey, 9n * SOL)));
  served.tick();
  const timestamp = 1_760_000_000_400;
  const stats = {
    numTransactionEntries: 2,
    numSuccessfulTransactions: 1,
    numFailedTransactions: 1,
    maxTransactionsPerEntry: 1,
  };
  expect(await client.notificationsOf(id)).toEqual([
    { type: 'completed', slot: 32, timestamp },
    { type: 'frozen', slot: 32, timestamp, stats },
    { type: 'optimisticConfirmation', slot: 32, timestamp },
    { type: 'root', slot: 1, timestamp },
    { type: 'createdBank', slot: 33, parent: 32, timestamp },
  ]);
});

test('the validator votes for every slot, and the signature is that of its vote in the next block', async () => {
  const { tick, connect, ledger } = await serveLedger({}, { votes: true });
  const client = await connect();
  const id = await client.subscribe('voteSubscribe');
  tick(2);
  const votes = (await client.notificationsOf(id)) as readonly { readonly signature: string }[];
  const { blocks, genesis } = ledger;
  const slots = [32n, 33n] as const;
  expect(votes).toMatchObject(
    slots.map((slot) => ({
      votePubkey: genesis.voteAddress,
      slots: [Number(slot)],
      hash: blocks.blockhash(slot),
      timestamp: Number(blocks.time(slot)),
    })),
  );
  tick();
  const landed = slots.map((slot) => blocks.transactions(slot + 1n)[0]?.transaction.signatures[0]);
  expect(votes.map(({ signature }) => signature)).toEqual(landed);
});

test('params are refused where none are taken', async () => {
  const client = await (await serveLedger()).connect();
  for (const name of ['slotSubscribe', 'rootSubscribe', 'slotsUpdatesSubscribe', 'voteSubscribe'])
    expect(await client.refusal(name, { commitment: 'confirmed' })).toMatchObject({
      code: -32602,
      message: 'Invalid parameters: No parameters were expected',
    });
});
