import type { Metadata } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { createScriptedLedger } from '../../gateway/streams/scripted-ledger.ts';
import { endOf, metadataOf, rawClient, subscribe, text } from './raw-client.ts';
import { startStreamServer } from './start-stream-server.ts';

test('a call is noted under the id in the metadata of its answer', async () => {
  const server = await startStreamServer({ node: createScriptedLedger(100) });
  const head = await new Promise<Metadata>((resolve) => {
    rawClient(server.port)
      .listTopics({}, metadataOf(), () => undefined)
      .once('metadata', resolve);
  });
  await eventually('the call is noted', () => server.logged[0]);
  expect(server.logged).toEqual([
    {
      accountId: 'a1',
      atMs: 0,
      requestId: text(head, 'x-request-id'),
      protocol: 'grpc',
      network: 'solana-localnet',
      method: 'ListTopics',
      callerKind: 'key',
      callerId: 'k1',
      durationUs: expect.any(Number),
    },
  ]);
});

test('a stream is noted when it is open, and when the server ends it with an error', async () => {
  const server = await startStreamServer({ node: createScriptedLedger(100) });
  const stream = subscribe(rawClient(server.port));
  const head = await new Promise<Metadata>((resolve) => stream.once('metadata', resolve));
  server.keys.set('ks_key_test', { kind: 'revoked', keyId: 'k1', accountId: 'a1' });
  const { trailer } = await endOf(stream);
  const id = text(head, 'x-request-id');
  expect(text(trailer, 'x-request-id')).toBe(id);
  expect(server.logged.map(({ requestId, method, error }) => [requestId, method, error])).toEqual([
    [id, 'Subscribe', undefined],
    [id, 'Subscribe', 'api_key_revoked'],
  ]);
});

test('a refused call is noted with its error, and not the topic that it asked for', async () => {
  const server = await startStreamServer({ node: createScriptedLedger(100) });
  const client = rawClient(server.port);
  const refused = await endOf(subscribe(client, { topic: 'a-private-name' }));
  const ended = await endOf(subscribe(client, {}, { 'x-api-key': 'ks_key_revoked' }));
  await endOf(subscribe(client, {}, { 'x-api-key': 'ks_key_nobody' }));
  expect(server.logged.map(({ requestId, error }) => [requestId, error])).toEqual([
    [text(refused.trailer, 'x-request-id'), 'topic_unknown'],
    [text(ended.trailer, 'x-request-id'), 'api_key_revoked'],
  ]);
  expect(JSON.stringify(server.logged)).not.toContain('a-private-name');
});
