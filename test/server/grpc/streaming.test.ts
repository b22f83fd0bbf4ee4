import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { OutputFormat } from '../../../generated/stream/service.ts';
import { createStreamClient } from '../../../generated/stream/package.ts';
import { Slot } from '../../../generated/stream/topics/slots.ts';
import type { Block, BlockTransaction } from '../../../src/gateway/streams/block/block.ts';
import { address } from '../../gateway/streams/a-block.ts';
import { createScriptedLedger } from '../../gateway/streams/scripted-ledger.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { CERT, KEY } from '../self-signed.ts';
import type { ServiceError } from '@grpc/grpc-js';
import { endingOf, endOf, rawClient, subscribe, take, text } from './raw-client.ts';
import { startStreamServer, TOKEN } from './start-stream-server.ts';
import { streamPace } from '../../support/stream-pace.ts';

const opened = (stream: ReturnType<typeof subscribe>) =>
  new Promise<string>((resolve) => stream.once('metadata', (head) => resolve(text(head, 'x-resume-slot'))));

/** A block with a number of transactions, each with a log of a number of bytes. */
const transactions = (count: number, logBytes: number): Block['transactions'] => {
  const made: BlockTransaction[] = Array.from({ length: count }, (_, index) => ({
    index,
    signature: `s${index}`,
    error: undefined,
    fee: 5000n,
    computeUnits: undefined,
    version: undefined,
    config: undefined,
    accounts: [
      {
        address: address(1),
        isSigner: true,
        isWritable: true,
        lamportsBefore: 1n,
        lamportsAfter: 2n,
        tokenBalance: undefined,
      },
    ],
    logs: ['x'.repeat(logBytes)],
    raw: Buffer.of(1),
  }));
  return () => made;
};

describe('a stream', () => {
  it('tells at its head where it begins, and sends each message with its topic and slot', async () => {
    const node = createScriptedLedger(100);
    const server = await startStreamServer({ node });
    const stream = subscribe(rawClient(server.port));
    expect(await opened(stream)).toBe('100');
    node.grow(101, 105);
    const messages = await take(stream, 2);
    expect(messages.map(({ topic, slot }) => [topic, slot])).toEqual([
      ['slots', 101n],
      ['slots', 105n],
    ]);
    expect(JSON.parse(messages[1]?.payload ?? '')).toMatchObject({ slot: '105', parentSlot: '101' });
    await eventually(
      'messages are counted',
      () => server.pushed.filter(({ method }) => method === 'slots').length === 2 || undefined,
    );
    expect(server.pushed[0]).toMatchObject({ network: 'solana-localnet', messages: 1, keyId: 'k1' });
    expect(server.counted[0]).toMatchObject({ method: 'Subscribe', outcome: 'ok', keyId: 'k1' });
  });

  it('has base64 of the message without a format', async () => {
    const node = createScriptedLedger(100);
    const stream = subscribe(rawClient((await startStreamServer({ node })).port), {
      format: OutputFormat.PROTO,
    });
    await opened(stream);
    node.grow(101);
    const [message] = await take(stream, 1);
    expect(Slot.decode(Buffer.from(message?.payload ?? '', 'base64'))).toMatchObject({
      slot: 101n,
      parentSlot: 100n,
    });
  });

  it('is followed by another one after its last slot without a hole and without a duplicate', async () => {
    const node = createScriptedLedger(100, () => ({ transactions: transactions(3, 10) }));
    const client = rawClient((await startStreamServer({ node })).port);
    const first = subscribe(client, { topic: 'transactions' });
    await opened(first);
    node.grow(101, 102, 103, 104);
    const seen = await take(first, 6);
    first.cancel();
    const second = subscribe(client, { topic: 'transactions' }, { 'x-resume-slot': '102' });
    seen.push(...(await take(second, 6)));
    const places = seen.map(({ slot, payload }) => [Number(slot), JSON.parse(payload).index ?? 0]);
    expect(places).toEqual([101, 102, 103, 104].flatMap((slot) => [0, 1, 2].map((index) => [slot, index])));
  });

  it('goes over TLS where the server has it', async () => {
    const [cert, key] = [Buffer.from(CERT), Buffer.from(KEY)];
    const node = createScriptedLedger(100);
    const server = await startStreamServer({ node, tls: { cert, key } });
    const client = createStreamClient({ url: server.url, apiKey: 'ks_key_test', rootCertificates: cert });
    expect((await client.listTopics()).map(({ name }) => name)).toContain('slots');
    client.close();
  });
});

it('each account receives its own wallets only', async () => {
  const node = createScriptedLedger(100, () => ({ transactions: transactions(1, 1) }));
  const server = await startStreamServer({
    node,
    findToken: (presented) =>
      ({
        kind: 'valid',
        tokenId: 't',
        scopes: new Set(['wallets:read']),
        accountId: presented === TOKEN ? 'a1' : 'a2',
      }) as never,
  });
  const client = rawClient(server.port);
  const streams = [
    subscribe(client, { topic: 'wallet-activity' }, { authorization: `Bearer ${TOKEN}` }),
    subscribe(
      client,
      { topic: 'wallet-activity' },
      { authorization: 'Bearer other', 'x-api-key': 'ks_key_other' },
    ),
  ];
  await Promise.all(streams.map(opened));
  node.grow(101);
  const told = await Promise.all(streams.map((stream) => take(stream, 1)));
  expect(told.map(([message]) => JSON.parse(message?.payload ?? '').walletId)).toEqual(['w_a1', 'w_a2']);
});

describe('a client that does not read', () => {
  it('costs no more than the bound, and is let go with its position, from which nothing is missing', async () => {
    const node = createScriptedLedger(100, () => ({ transactions: transactions(20, 20_000) }));
    const server = await startStreamServer({
      node,
      hub: { pace: streamPace({ maxLagSlots: 10 }) },
      unread: { maxBytes: 100_000, maxMessages: 1_000 },
    });
    const client = rawClient(server.port);
    const stalled = subscribe(client, { topic: 'transactions' });
    const ended = new Promise<ServiceError>((resolve) => stalled.once('error', resolve));
    await opened(stalled);
    node.grow(101);
    // Only then grpc-js stops taking what it is not asked for.
    await take(stalled, 1);
    const healthy = subscribe(rawClient(server.port));
    await opened(healthy);
    for (let slot = 102; slot <= 130; slot++) {
      node.grow(slot);
      await take(healthy, 1);
    }
    const tooSlow = await eventually('it is let go', () =>
      server.errors.find(({ code }) => code === 'streamTooSlow'),
    );
    // 100 kB here, 64 kB on the way, and 16 messages of 27 kB in the client: two blocks of 20 messages at most.
    expect(Number(tooSlow.context.slot)).toBeLessThan(103);
    stalled.resume();
    const { status, error, trailer } = endingOf(await ended);
    expect({ status, error }).toEqual({ status: 'RESOURCE_EXHAUSTED', error: 'streamTooSlow' });
    const position = Number(text(trailer, 'x-resume-slot'));
    expect(position).toBe(Number(tooSlow.context.slot));
    const resumed = subscribe(client, { topic: 'transactions' }, { 'x-resume-slot': String(position) });
    const rest = await take(resumed, (130 - position) * 20);
    expect(rest[0]?.slot).toBe(BigInt(position + 1));
    expect(rest.at(-1)?.slot).toBe(130n);
  });

  it('does not hold up the others', async () => {
    const node = createScriptedLedger(100, () => ({ transactions: transactions(20, 20_000) }));
    const server = await startStreamServer({ node });
    const stalled = subscribe(rawClient(server.port), { topic: 'transactions' });
    await opened(stalled);
    node.grow(101);
    await take(stalled, 1);
    const reader = subscribe(rawClient(server.port), { topic: 'transactions' });
    await opened(reader);
    const startMs = performance.now();
    for (let slot = 102; slot <= 121; slot++) node.grow(slot);
    expect(await take(reader, 400)).toHaveLength(400);
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });
});

it('a client that leaves gives its place back', async () => {
  const node = createScriptedLedger(100);
  const server = await startStreamServer({ node });
  const streams = Array.from({ length: 20 }, () => subscribe(rawClient(server.port)));
  await Promise.all(streams.map(opened));
  expect(server.standing().streams).toBe(20);
  for (const stream of streams) stream.cancel();
  await eventually('the places are free', () => server.standing().streams === 0 || undefined);
  expect(server.errors).toEqual([]);
});

it('a server that stops says where each stream stands', async () => {
  const node = createScriptedLedger(100);
  const server = await startStreamServer({ node });
  const stream = subscribe(rawClient(server.port));
  await opened(stream);
  node.grow(101);
  await take(stream, 1);
  const [{ status, error, trailer }] = await Promise.all([endOf(stream), server.close(5_000)]);
  expect({ status, error }).toEqual({ status: 'UNAVAILABLE', error: 'streamStopping' });
  expect(text(trailer, 'x-resume-slot')).toBe('101');
});

it('a ledger that starts again ends the streams for good', async () => {
  const node = createScriptedLedger(100);
  const stream = subscribe(rawClient((await startStreamServer({ node })).port));
  await opened(stream);
  const ended = endOf(stream);
  node.beginAnew(0, 'another');
  expect(await ended).toMatchObject({ status: 'DATA_LOSS', error: 'ledgerChanged' });
});

it('a block that cannot be read ends the streams that need it, and no others', async () => {
  const broken = createScriptedLedger(100, () => ({
    transactions: () => {
      throw new Error('a transaction cannot be read');
    },
  }));
  const client = rawClient((await startStreamServer({ node: broken })).port);
  const [needs, needsNot] = [subscribe(client, { topic: 'transactions' }), subscribe(client)];
  await Promise.all([opened(needs), opened(needsNot)]);
  const ended = endOf(needs);
  broken.grow(101);
  expect(await ended).toMatchObject({ status: 'INTERNAL', error: 'internalError' });
  expect(await take(needsNot, 1)).toHaveLength(1);
});
