import { verifyAsync } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { Keypair, Message, PublicKey } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { SOL, fundedWallet, sendNow, signed, transfer } from '../transactions.ts';
import type { Ledger } from '../../../src/localnet/ledger.ts';
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

test('the validator votes for every slot, and the signature is that of its vote transaction', async () => {
  const { tick, connect, ledger } = await serveLedger();
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
  const voter = base58.decode(genesis.identity.address);
  for (const [index, slot] of slots.entries()) {
    const signature = base58.decode(votes[index]?.signature ?? '');
    expect(await verifyAsync(signature, voteMessage(ledger, slot), voter)).toBe(true);
  }
});

test('params are refused where none are taken', async () => {
  const client = await (await serveLedger()).connect();
  for (const name of ['slotSubscribe', 'rootSubscribe', 'slotsUpdatesSubscribe', 'voteSubscribe'])
    expect(await client.refusal(name, { commitment: 'confirmed' })).toMatchObject({
      code: -32602,
      message: 'Invalid parameters: No parameters were expected',
    });
});

/** The message of a vote for one slot, as web3.js writes it. */
function voteMessage({ blocks, genesis }: Ledger, slot: bigint): Uint8Array {
  const data = Buffer.alloc(61);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(1n, 4);
  data.writeBigUInt64LE(slot, 12);
  data.set(blocks.blockhashBytes(slot), 20);
  data.writeUInt8(1, 52);
  data.writeBigInt64LE(blocks.time(slot), 53);
  const keys = [
    genesis.identity.address,
    genesis.voteAddress,
    'SysvarS1otHashes111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
  ];
  return new Message({
    header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 3 },
    accountKeys: keys.map((key) => new PublicKey(key)),
    recentBlockhash: blocks.blockhash(slot),
    instructions: [{ programIdIndex: 4, accounts: [1, 2, 3, 0], data: base58.encode(data) }],
  }).serialize();
}
