import { type Keypair, MessageV0, VersionedTransaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/core/rpc/json.ts';
import { fundedWallet, memo, sendNow, signed, SOL } from '../transactions.ts';
import { type ServedLedger, serveLedger } from './serve-ledger.ts';

/** The notification of a block of version 0 for a client that reads none. */
const failedAt = (slot: number) => ({
  context: { slot },
  value: { slot, block: null, err: { UnsupportedTransactionVersion: 0 } },
});

async function sendVersioned(served: ServedLedger, payer: Keypair): Promise<string> {
  const { blocks } = served.ledger;
  const message = MessageV0.compile({
    payerKey: payer.publicKey,
    instructions: [memo('v0')],
    recentBlockhash: blocks.blockhash(blocks.openSlot - 1n),
  });
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  return sendNow(served, Buffer.from(transaction.serialize()).toString('base64'));
}

test('in every encoding and detail a block is what getBlock answers, when it reaches the level', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const wallet = await fundedWallet(served);
  const forms = [
    ...['binary', 'base58', 'base64', 'json', 'jsonParsed'].map((encoding) => ({ encoding })),
    ...['full', 'accounts', 'signatures', 'none'].map((transactionDetails) => ({ transactionDetails })),
    { showRewards: true },
  ].map((form) => ({ commitment: 'confirmed', maxSupportedTransactionVersion: 0, ...form }));
  const ids: number[] = [];
  for (const form of forms) ids.push(await client.subscribe('blockSubscribe', 'all', form));
  expect(new Set(ids).size).toBe(forms.length - 1);
  const finalized = await client.subscribe('blockSubscribe', 'all', { transactionDetails: 'signatures' });
  await sendVersioned(served, wallet);
  served.tick();
  for (const [index, { showRewards, ...form }] of forms.entries() as Iterable<
    [number, Record<string, unknown>]
  >) {
    const config = { encoding: 'base64', rewards: showRewards ?? false, ...form };
    const block = parseJson(stringifyJson(await served.call('getBlock', 32, config as never)));
    const expected = { context: { slot: 32 }, value: { slot: 32, block, err: null } };
    expect(await client.notificationsOf(ids[index] ?? -1)).toEqual([expected]);
  }
  served.tick(30);
  expect((await client.notificationsOf(finalized)).at(-1)).toMatchObject({
    context: { slot: 31 },
    value: { block: { signatures: [] } },
  });
  served.tick();
  expect((await client.notificationsOf(finalized)).at(-1)).toMatchObject({
    context: { slot: 32 },
    value: { block: { signatures: [expect.any(String), expect.any(String)] } },
  });
});

test('with an address: blocks that mention it, and of these only such transactions', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const [wallet, other] = [await fundedWallet(served), await fundedWallet(served)];
  served.tick();
  const filter = { mentionsAccountOrProgram: wallet.publicKey.toBase58() };
  const config = { commitment: 'confirmed', transactionDetails: 'signatures' };
  const id = await client.subscribe('blockSubscribe', filter, config);
  await sendNow(served, signed(served, [other], memo('other')));
  served.tick();
  await sendNow(served, signed(served, [other], memo('other')));
  const signature = await sendNow(served, signed(served, [wallet], memo('this')));
  served.tick(2);
  expect(await client.notificationsOf(id)).toMatchObject([
    { context: { slot: 34 }, value: { slot: 34, block: { signatures: [signature] }, err: null } },
  ]);
});

test('a block that the client cannot read is told as an error in its place', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const wallet = await fundedWallet(served, SOL);
  const id = await client.subscribe('blockSubscribe', 'all', { commitment: 'confirmed' });
  await sendVersioned(served, wallet);
  served.tick(3);
  expect(await client.notificationsOf(id)).toMatchObject([
    failedAt(32),
    failedAt(32),
    { context: { slot: 33 }, value: { slot: 33, block: { transactions: [] }, err: null } },
    { context: { slot: 34 }, value: { slot: 34, err: null } },
  ]);
});

test('it is told again with every block until one can be read, one that does not concern the client too', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const [wallet, other] = [await fundedWallet(served), await fundedWallet(served)];
  served.tick();
  const filter = { mentionsAccountOrProgram: wallet.publicKey.toBase58() };
  const id = await client.subscribe('blockSubscribe', filter, { commitment: 'confirmed' });
  for (const slots of [1, 2]) {
    await sendVersioned(served, wallet);
    served.tick(slots);
  }
  await sendNow(served, signed(served, [other], memo('of somebody else')));
  served.tick();
  await sendNow(served, signed(served, [wallet], memo('a legacy one')));
  served.tick(2);
  const told = (await client.notificationsOf(id)) as readonly {
    readonly context: { readonly slot: number };
  }[];
  expect(told.map(({ context }) => context.slot)).toEqual([33, 33, 34, 33, 34, 33, 34, 33, 34, 37]);
  expect(told.slice(0, -1)).toMatchObject(told.slice(0, -1).map(({ context }) => failedAt(context.slot)));
  expect(told.at(-1)).toMatchObject({ value: { slot: 37, err: null } });
});

test('of many that cannot be read the last 64 are told again', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const wallet = await fundedWallet(served);
  const id = await client.subscribe('blockSubscribe', 'all', { commitment: 'confirmed' });
  for (let slot = 0; slot < 70; slot++) {
    await sendVersioned(served, wallet);
    served.tick();
  }
  const told = (await client.notificationsOf(id)) as readonly {
    readonly context: { readonly slot: number };
  }[];
  expect(told.slice(-65).map(({ context }) => context.slot)).toEqual(
    Array.from({ length: 65 }, (_, index) => 32 + 70 - 65 + index),
  );
});

test('processed is refused, and so is an invalid address', async () => {
  const client = await (await serveLedger()).connect();
  expect(await client.refusal('blockSubscribe', 'all', { commitment: 'processed' })).toMatchObject({
    code: -32602,
    message: 'Method does not support commitment below `confirmed`',
  });
  expect(await client.refusal('blockSubscribe', { mentionsAccountOrProgram: 'abc' })).toMatchObject({
    code: -32602,
    message: 'Invalid Request: Invalid mentions_account_or_program provided',
  });
});
