import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { fundedWallet, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { type ServedLedger, serveLedger } from './serve-ledger.ts';

const unknownSignature =
  '5BUhDfVNqyhobQAYxxqcNWgNVs4PkmU8UeFXLFZuMpjjVsHNFHRbWDXNfVvuRfAFMYQ3GY836ZuMfbeDtFuwvThn';
const gone = { code: -32602, message: 'Invalid subscription id.' };

async function preparedTransfer(served: ServedLedger, lamports = SOL) {
  const wallet = await fundedWallet(served, 2n * SOL);
  served.tick();
  const text = signed(served, [wallet], transfer(wallet, Keypair.generate().publicKey, lamports));
  return { text, signature: base58.encode(Buffer.from(text, 'base64').subarray(1, 65)) };
}

test('tells once, at each level when the slot reaches it, and ends itself', async () => {
  const served = await serveLedger();
  const { text, signature } = await preparedTransfer(served);
  const client = await served.connect();
  const [processed, confirmed, finalized] = [
    await client.subscribe('signatureSubscribe', signature, { commitment: 'processed' }),
    await client.subscribe('signatureSubscribe', signature, { commitment: 'confirmed' }),
    await client.subscribe('signatureSubscribe', signature),
  ];
  served.tick();
  expect(await client.notificationsOf(processed)).toEqual([]);
  await sendNow(served, text);
  const succeeded = { context: { slot: 34 }, value: { err: null } };
  expect([await client.notificationsOf(processed), await client.notificationsOf(confirmed)]).toEqual([
    [succeeded],
    [],
  ]);
  served.tick();
  expect([await client.notificationsOf(confirmed), await client.notificationsOf(finalized)]).toEqual([
    [succeeded],
    [],
  ]);
  served.tick(30);
  expect(await client.notificationsOf(finalized)).toEqual([]);
  served.tick();
  expect(await client.notificationsOf(finalized)).toEqual([succeeded]);
  for (const id of [processed, confirmed, finalized])
    expect(await client.refusal('signatureUnsubscribe', id)).toMatchObject(gone);
});

test('a signature that has reached the level is answered at once, with the slot in which it is seen', async () => {
  const served = await serveLedger();
  const { text, signature } = await preparedTransfer(served, 5n * SOL);
  await sendNow(served, text);
  const client = await served.connect();
  const processed = await client.subscribe('signatureSubscribe', signature, { commitment: 'processed' });
  const confirmed = await client.subscribe('signatureSubscribe', signature, { commitment: 'confirmed' });
  const err = { InstructionError: [0, { Custom: 1 }] };
  expect(await client.notificationsOf(processed)).toEqual([{ context: { slot: 33 }, value: { err } }]);
  expect(await client.notificationsOf(confirmed)).toEqual([]);
  served.tick(2);
  expect(await client.notificationsOf(confirmed)).toEqual([{ context: { slot: 33 }, value: { err } }]);
  const again = await client.subscribe('signatureSubscribe', signature, { commitment: 'confirmed' });
  expect(again).not.toBe(confirmed);
  expect(await client.notificationsOf(again)).toEqual([{ context: { slot: 34 }, value: { err } }]);
  expect(await client.refusal('signatureUnsubscribe', again)).toMatchObject(gone);
});

test('tells the receipt too where that is asked for, and continues', async () => {
  const served = await serveLedger();
  const { text, signature } = await preparedTransfer(served);
  const client = await served.connect();
  const config = { commitment: 'confirmed', enableReceivedNotification: true };
  const id = await client.subscribe('signatureSubscribe', signature, config);
  await sendNow(served, text);
  const received = { context: { slot: 33 }, value: 'receivedSignature' };
  expect(await client.notificationsOf(id)).toEqual([received]);
  const late = await served.connect();
  expect(await late.subscribe('signatureSubscribe', signature, config)).toBe(id);
  expect([await late.notificationsOf(id), await client.notificationsOf(id)]).toEqual([
    [received],
    [received],
  ]);
  served.tick();
  const confirmed = { context: { slot: 33 }, value: { err: null } };
  expect([await late.notificationsOf(id), await client.notificationsOf(id)]).toEqual([
    [received, confirmed],
    [received, confirmed],
  ]);
});

test('a transaction that never lands is never told', async () => {
  const served = await serveLedger();
  const { text, signature } = await preparedTransfer(served);
  const client = await served.connect();
  const config = { commitment: 'processed', enableReceivedNotification: true };
  const id = await client.subscribe('signatureSubscribe', signature, config);
  const tampered = Buffer.from(text, 'base64');
  tampered[tampered.length - 1] = 1;
  await sendNow(served, tampered.toString('base64'));
  served.tick(2);
  expect(await client.notificationsOf(id)).toEqual([]);
  expect(await client.call('signatureUnsubscribe', id)).toBe(true);
});

test('params are refused in the words of a node', async () => {
  const client = await (await serveLedger()).connect();
  expect(await client.refusal('signatureSubscribe', 'abc')).toMatchObject({
    code: -32602,
    message: 'Invalid Request: Invalid signature provided',
  });
  const config = { enableReceivedNotification: 1 };
  expect(await client.refusal('signatureSubscribe', unknownSignature, config)).toMatchObject({
    code: -32602,
  });
});
