import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { planTransfer, signVersion1 } from '../../../src/devkit/contract/scenario/version-1.ts';
import { fundedWallet, sendNow } from '../transactions.ts';
import { type ServedLedger, serveLedger } from './serve-ledger.ts';

const LIMITS = { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_048_576 } as const;
const recipient = Keypair.generate().publicKey;

/** A signed transfer of version 1, and its signature. */
async function transfer(served: ServedLedger, limits: typeof LIMITS | Record<string, never> = LIMITS) {
  const wallet = await fundedWallet(served);
  const { blocks } = served.ledger;
  const plan = { ...planTransfer(wallet.publicKey.toBase58(), recipient.toBase58(), 1_000_000), limits };
  const { text } = await signVersion1(wallet, blocks.blockhash(blocks.openSlot - 1n), plan);
  // Signatures are behind the message.
  return { text, signature: base58.encode(Buffer.from(text, 'base64').subarray(-64)) };
}

test('logs include a transaction of version 1, by its payer and by an address that it only mentions', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const filters = ['all', { mentions: [recipient.toBase58()] }];
  const { text } = await transfer(served);
  const ids = [];
  for (const filter of filters)
    ids.push(await client.subscribe('logsSubscribe', filter, { commitment: 'confirmed' }));
  const signature = await sendNow(served, text);
  served.tick();
  for (const id of ids)
    expect((await client.notificationsOf(id)).at(-1)).toEqual({
      context: { slot: 32 },
      value: {
        signature,
        err: null,
        logs: [
          'Program 11111111111111111111111111111111 invoke [1]',
          'Program 11111111111111111111111111111111 success',
        ],
      },
    });
});

test('its signature is told with its error, at each level', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const { text, signature } = await transfer(served, {});
  const value = { err: 'MaxLoadedAccountsDataSizeExceeded' };
  const levels = ['processed', 'confirmed', 'finalized'] as const;
  const ids = [];
  for (const commitment of levels)
    ids.push(await client.subscribe('signatureSubscribe', signature, { commitment }));
  expect(await sendNow(served, text)).toBe(signature);
  for (const [index, slots] of [0, 1, 31].entries()) {
    served.tick(slots);
    expect(await client.notificationsOf(ids[index] ?? -1)).toEqual([{ context: { slot: 32 }, value }]);
    for (const id of ids.slice(index + 1)) expect(await client.notificationsOf(id)).toEqual([]);
  }
});

test('accounts that it writes are told', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const { text } = await transfer(served);
  const config = { encoding: 'base64', commitment: 'confirmed' };
  const id = await client.subscribe('accountSubscribe', recipient.toBase58(), config);
  await sendNow(served, text);
  served.tick();
  expect(await client.notificationsOf(id)).toMatchObject([
    { context: { slot: 32 }, value: { lamports: 1_000_000 } },
  ]);
});

test('a block with it is sent whole to clients of version 1, and as an error to others, until one can be sent', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const { text } = await transfer(served);
  const subscribe = (maxSupportedTransactionVersion?: number) =>
    client.subscribe('blockSubscribe', 'all', {
      commitment: 'confirmed',
      transactionDetails: 'full',
      maxSupportedTransactionVersion,
    });
  const [takes, none, zero] = [await subscribe(1), await subscribe(), await subscribe(0)];
  await sendNow(served, text);
  served.tick();
  expect(await client.notificationsOf(takes)).toMatchObject([
    { value: { slot: 32, err: null, block: { transactions: [{ version: 'legacy' }, { version: 1 }] } } },
  ]);
  const failed = {
    context: { slot: 32 },
    value: { slot: 32, block: null, err: { UnsupportedTransactionVersion: 1 } },
  };
  for (const id of [none, zero]) expect(await client.notificationsOf(id)).toEqual([failed]);
  served.tick();
  for (const id of [none, zero])
    expect(await client.notificationsOf(id)).toMatchObject([
      failed,
      failed,
      { value: { slot: 33, err: null } },
    ]);
  expect(await client.notificationsOf(takes)).toHaveLength(2);
});
