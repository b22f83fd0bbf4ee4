import { Keypair } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SUBSCRIPTIONS, UNSUBSCRIBES } from '../../../generated/ledger/subscriptions.ts';
import { stringifyJson } from '../../../src/core/rpc/json.ts';
import { fundedWallet, memo, sendNow, signed, SOL } from '../transactions.ts';
import { serveLedger } from './serve-ledger.ts';
import { rounds } from '../../support/tier.ts';

const known = Keypair.generate().publicKey.toBase58();
const programs = ['11111111111111111111111111111111', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'];
const address = fc.constantFrom(known, ...programs, 'Vote111111111111111111111111111111111111111');
const u64 = fc.oneof(fc.nat(40), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const anything = fc.jsonValue({ maxDepth: 3 });
const filter = fc.oneof(
  fc.record({ dataSize: u64 }),
  fc.record({ memcmp: fc.record({ offset: u64, bytes: fc.oneof(fc.base64String(), address) }) }),
  anything,
);
const config = fc.record(
  {
    commitment: fc.constantFrom('processed', 'confirmed', 'finalized', 'nonsense', 5),
    encoding: fc.constantFrom('binary', 'base58', 'base64', 'base64+zstd', 'json', 'jsonParsed'),
    dataSlice: fc.record({ offset: u64, length: u64 }),
    filters: fc.array(filter, { maxLength: 5 }),
    transactionDetails: fc.constantFrom('full', 'accounts', 'signatures', 'none', 'some'),
    maxSupportedTransactionVersion: fc.nat(255),
    minContextSlot: u64,
  },
  { requiredKeys: [] },
);
const mentions = fc.oneof(fc.constant('all'), fc.record({ mentions: fc.tuple(address) }));
const mentioned = fc.oneof(fc.constant('all'), fc.record({ mentionsAccountOrProgram: address }));
const nearly = [
  fc.record({
    method: fc.constantFrom('accountSubscribe', 'programSubscribe'),
    params: fc.tuple(address, config),
  }),
  fc.record({ method: fc.constant('logsSubscribe'), params: fc.tuple(mentions, config) }),
  fc.record({ method: fc.constant('blockSubscribe'), params: fc.tuple(mentioned, config) }),
  fc.record({
    method: fc.constantFrom('slotSubscribe', 'voteSubscribe', 'slotsUpdatesSubscribe'),
    params: fc.constantFrom([], null),
  }),
];
const names = fc.constantFrom(...Object.keys(SUBSCRIPTIONS), ...Object.keys(UNSUBSCRIBES));
const params = fc.oneof(fc.array(fc.oneof(anything, address, u64), { maxLength: 3 }), anything);
const call = fc.oneof(...nearly, fc.record({ method: names, params }));

test('whatever is asked is answered, and whatever happens then is told: the connection holds', async () => {
  const served = await serveLedger();
  const wallet = await fundedWallet(served, 1_000n * SOL);
  const client = await served.connect();
  let taken = 0;
  const asks = async (calls: readonly { readonly method: string; readonly params: unknown }[]) => {
    const before = client.replies().length;
    for (const [id, each] of calls.entries())
      client.socket.send(stringifyJson({ jsonrpc: '2.0', id: `${before} ${id}`, ...each }));
    await served.call('requestAirdrop', known, SOL);
    await sendNow(served, signed(served, [wallet], memo(`${before}`)));
    served.tick(2);
    await client.call('getHealth');
    const replies = client.replies().slice(before);
    expect(replies.map(({ id }) => id).slice(0, -1)).toEqual(calls.map((_call, id) => `${before} ${id}`));
    for (const { result, error } of replies)
      if (typeof result === 'number') taken++;
      else if (error === undefined) expect([true, 'ok']).toContain(result);
      else expect([-32600, -32602]).toContain(error.code);
    client.forget();
  };
  await fc.assert(fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 30 }), asks), {
    numRuns: rounds(40),
  });
  served.tick(33);
  await client.call('getHealth');
  expect(taken).toBeGreaterThan(rounds(50));
  expect(client.notifications().length).toBeGreaterThan(33);
});

test('bytes that are no message at all are answered or close the connection, and nobody else notices', async () => {
  const served = await serveLedger();
  const witness = await served.connect();
  const slots = await witness.subscribe('slotSubscribe');
  const sends = async (bytes: Uint8Array, binary: boolean) => {
    const client = await served.connect();
    client.socket.send(bytes, { binary });
    const outcome = await Promise.race([client.closed, client.call('getHealth').catch(() => client.closed)]);
    expect(outcome === 'ok' || [1007].includes((outcome as { code: number }).code)).toBe(true);
    client.socket.terminate();
  };
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  await fc.assert(fc.asyncProperty(bytes, fc.boolean(), sends), { numRuns: rounds(60) });
  served.tick();
  expect(await witness.notificationsOf(slots)).toHaveLength(1);
});
