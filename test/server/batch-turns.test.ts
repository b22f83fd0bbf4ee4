import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { CallSignal } from '../../src/core/rpc/call-signal.ts';
import { createAnswerCache } from '../../src/gateway/ledger/cache/answer-cache.ts';
import { withCache } from '../../src/gateway/ledger/cache/with-cache.ts';
import { createLedger } from '../../src/gateway/ledger/ledger.ts';
import { createReplyMemory } from '../../src/core/rpc/reply-memory.ts';
import { answerBatch } from '../../src/server/json-rpc/answer-batch.ts';
import { parseBody } from '../../src/core/rpc/parse-body.ts';
import { errorReply } from '../../src/core/rpc/replies.ts';
import type { UpstreamReply } from '../../src/core/rpc/upstream-reply.ts';
import { withBatches } from '../../src/gateway/nodes/with-batches.ts';
import { settle } from '../gateway/ledger/cache-by-hand.ts';
import { UNKNOWN_NODES } from '../support/unknown-nodes.ts';

const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

type Params = readonly (readonly [method: string, ...params: unknown[]])[];

/** A network before a node whose answers are given by hand; of each batch two requests are at the node at a time. */
function startNetwork() {
  const sent: (PromiseWithResolvers<UpstreamReply> & { readonly method: string })[] = [];
  const upstream = withBatches({
    send: ({ method }) => {
      const call = { ...Promise.withResolvers<UpstreamReply>(), method };
      sent.push(call);
      return call.promise;
    },
    close: async () => undefined,
  });
  const ledger = withCache(createLedger({ upstream, environment: 'devnet', ...UNKNOWN_NODES }), {
    answers: createAnswerCache(1_000_000),
    network: 'n',
    onOutcome: () => undefined,
    generation: () => 0,
    slotMs: () => 400,
    nowMs: () => 0,
  });
  const ask = (calls: Params): Promise<readonly Buffer[]> => {
    const messages = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const message = parseBody(Buffer.from(JSON.stringify(messages)), { maxBatchCalls: calls.length });
    if (message.kind === 'single') throw new Error('no batch');
    const hold = createReplyMemory(1_000_000, 1_000_000).hold();
    const context = { keyId: 'k', accountId: 'a', signal: new CallSignal(), hold };
    return answerBatch(message.envelopes, { ledger, context, concurrency: 2, refuse: errorReply });
  };
  return { ask, methods: () => sent.map(({ method }) => method), sent };
}

function serve(calls: Params) {
  const { ask, ...node } = startNetwork();
  return { ...node, answer: ask(calls) };
}

function whole(id: number): UpstreamReply {
  return { kind: 'whole', body: Buffer.from(`{"jsonrpc":"2.0","result":1,"id":${id}}`), isError: false };
}

function wholeBatch(ids: readonly number[]): UpstreamReply {
  const replies = ids.map((id) => `{"jsonrpc":"2.0","result":1,"id":${id}}`);
  return { kind: 'whole', body: Buffer.from(`[${replies.join()}]`), isError: false };
}

const range = (first: number, size: number) => Array.from({ length: size }, (_, at) => first + at);

test('a limited number of heavy calls is at the node at a time, and the others follow', async () => {
  const { answer, methods, sent } = serve([1, 2, 3, 4].map((slot) => ['getBlock', slot]));
  await settle();
  expect(methods()).toEqual(['getBlock', 'getBlock']);
  sent[1]?.resolve(whole(1));
  await settle();
  expect(methods()).toHaveLength(3);
  for (const id of [0, 2]) sent[id]?.resolve(whole(id));
  await settle();
  sent[3]?.resolve(whole(3));
  expect(JSON.parse(Buffer.concat(await answer).toString())).toHaveLength(4);
});

test('groups of light reads take turns with the others', async () => {
  const light = (slot: number) => ['getBlockCommitment', slot] as const;
  const { answer, methods, sent } = serve([
    ...Array.from({ length: 250 }, (_, slot) => light(slot)),
    ['requestAirdrop', ADDRESS, 1],
  ]);
  await settle();
  expect(methods()).toEqual(['batch', 'batch']);
  sent[1]?.resolve(wholeBatch(range(100, 100)));
  await settle();
  expect(methods()).toEqual(['batch', 'batch', 'batch']);
  sent[0]?.resolve(wholeBatch(range(0, 100)));
  sent[2]?.resolve(wholeBatch(range(200, 50)));
  await settle();
  expect(methods()).toEqual(['batch', 'batch', 'batch', 'requestAirdrop']);
  sent[3]?.resolve(whole(250));
  expect(JSON.parse(Buffer.concat(await answer).toString())).toHaveLength(251);
});

test('calls that wait for the answer to another one hold up nobody', async () => {
  const { answer, methods, sent } = serve([
    ...Array.from({ length: 5 }, () => ['getBlock', 5] as const),
    ['requestAirdrop', ADDRESS, 1],
  ]);
  await settle();
  expect(methods()).toEqual(['getBlock', 'requestAirdrop']);
  sent[0]?.resolve(whole(0));
  sent[1]?.resolve(whole(5));
  const replies = JSON.parse(Buffer.concat(await answer).toString()) as { readonly id: number }[];
  expect(replies.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a turn ends with the head of an answer, not with its body', async () => {
  const { answer, methods, sent } = serve([1, 2, 3].map((slot) => ['getBlock', slot]));
  const bodies = [0, 1].map(() => new Readable({ read: () => undefined }));
  for (const [id, body] of bodies.entries())
    sent[id]?.resolve({ kind: 'stream', body, sizeBytes: undefined });
  await settle();
  await settle();
  expect(methods()).toHaveLength(3);
  for (const [id, body] of bodies.entries()) {
    body.push(`{"jsonrpc":"2.0","result":1,"id":${id}}`);
    body.push(null);
  }
  sent[2]?.resolve(whole(2));
  expect(JSON.parse(Buffer.concat(await answer).toString())).toHaveLength(3);
});

test('what waits for its turn is waited for by no other client', async () => {
  const { ask, methods, sent } = startNetwork();
  const slow = ask([['getBlock', 1], ['getBlock', 2], ['getGenesisHash'], ['getBlock', 3]]);
  await settle();
  expect(methods()).toEqual(['getBlock', 'getBlock']);
  const quick = ask([['getGenesisHash'], ['getBlock', 3]]);
  await settle();
  expect(methods().slice(2)).toEqual(['getBlock', 'getGenesisHash']);
  sent[2]?.resolve(whole(1));
  sent[3]?.resolve(whole(0));
  expect(JSON.parse(Buffer.concat(await quick).toString())).toHaveLength(2);
  sent[0]?.resolve(whole(0));
  sent[1]?.resolve(whole(1));
  expect(JSON.parse(Buffer.concat(await slow).toString())).toHaveLength(4);
  expect(methods()).toHaveLength(4);
});

test('nor is a group of light reads, and what is asked twice in it is sent once', async () => {
  const { ask, methods, sent } = startNetwork();
  const light = Array.from({ length: 200 }, (_, slot) => ['getBlockTime', slot] as const);
  const slow = ask([...light, ['getGenesisHash'], ['getGenesisHash'], ['getSlot']]);
  await settle();
  expect(methods()).toHaveLength(2);
  const quick = ask([['getGenesisHash'], ['getVersion']]);
  await settle();
  expect(methods()).toHaveLength(3);
  sent[2]?.resolve(wholeBatch([0, 1]));
  expect(JSON.parse(Buffer.concat(await quick).toString())).toHaveLength(2);
  sent[0]?.resolve(wholeBatch(range(0, 100)));
  await settle();
  sent[3]?.resolve(wholeBatch([200, 202]));
  sent[1]?.resolve(wholeBatch(range(100, 100)));
  const replies = JSON.parse(Buffer.concat(await slow).toString()) as { readonly result?: unknown }[];
  expect(replies.map(({ result }) => result)).toEqual(replies.map(() => 1));
  expect([replies.length, methods().length]).toEqual([203, 4]);
});
