import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStreamClient } from '../../../generated/stream/package.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { encodeBase58 } from '../../../src/localnet/bytes/base58.ts';
import { startKeyslot } from '../../support/keyslot.ts';
import { postJson } from '../../support/post-json.ts';
import { openSocket } from '../../support/socket-client.ts';
import { receiveTraces } from './receive-traces.ts';

const TRACE = 'c'.repeat(32);
const TRACEPARENT = `00-${TRACE}-${'d'.repeat(16)}-01`;

/** All that a span may say: see `SpanAttributes`. */
const ATTRIBUTES = [
  ...['keyslot.network', 'keyslot.node', 'keyslot.topic', 'keyslot.operation', 'keyslot.calls'],
  ...['keyslot.node_error', 'rpc.method', 'http.response.status_code', 'error.type'],
];

test('requests over every protocol are traced, and no key, token, address, signature or name is in a span', async () => {
  await using stack = new AsyncDisposableStack();
  const receiver = await receiveTraces();
  stack.defer(receiver.close);
  const server = await startKeyslot({
    env: {
      KEYSLOT_TRACING_ENDPOINT: receiver.endpoint,
      KEYSLOT_TRACING_SAMPLE_PER_MILLION: '1000000',
      KEYSLOT_TRACING_TRACEPARENT: 'parent',
    },
  });
  let isStopped = false;
  stack.defer(async () => {
    if (!isStopped) await server.stop();
  });
  const secrets = new Set<string>();
  const secret = (text: string): string => {
    secrets.add(text);
    return text;
  };
  const [planted, address] = [secret('planted-secret-7f3a'), secret(encodeBase58(randomBytes(32)))];
  const development = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8')) as {
    readonly access_token: string;
    readonly totp_secret: string;
  };
  for (const text of [server.apiKey, development.access_token, development.totp_secret]) secret(text);

  // JSON-RPC over HTTP: a call, a batch, errors of the gateway and the node, and secrets wherever one can be sent.
  const call = (method: string, params: readonly unknown[] = []) => ({
    jsonrpc: '2.0',
    id: planted,
    method,
    params,
  });
  const headers = {
    traceparent: TRACEPARENT,
    'keyslot-session': planted,
    'user-agent': planted,
    tracestate: `a=${planted}`,
  };
  const { body: airdrop } = await postJson(
    server.rpcUrl,
    call('requestAirdrop', [address, 1_000_000]),
    headers,
  );
  secret(String(airdrop.result));
  const calls = [call('getSlot'), call('getBalance', [address]), call('getBlockHeight'), call(planted)];
  const batch = calls.map((each, id) => ({ ...each, id }));
  await postJson(server.rpcUrl, batch as unknown as Record<string, unknown>, headers);
  await postJson(server.rpcUrl, call('sendTransaction', [planted]), headers);
  await postJson(server.rpcUrl, call('getBlock', [900_000_000]), headers);
  await postJson(server.rpcUrl, call('getTransaction', [airdrop.result]), { traceparent: planted });
  await postJson(`${server.rpcUrl.split('?')[0]}?apikey=${planted}`, call('getSlot'));

  // WebSocket.
  const socket = await openSocket(server.rpcUrl.replace(/^http/, 'ws'), { headers });
  await socket.call('accountSubscribe', [address]);
  await socket.call('getBalance', [address]);
  await socket.call(planted, [planted]);
  socket.close();

  // gRPC.
  const streams = createStreamClient({
    url: server.grpcUrl,
    apiKey: server.apiKey,
    token: development.access_token,
  });
  for await (const _ of streams.subscribe('slots')) break;
  const refused = createStreamClient({ url: server.grpcUrl, apiKey: planted });
  await expect(refused.listTopics()).rejects.toThrow();
  refused.close();
  streams.close();

  // The wallet service.
  const authorization = `Bearer ${development.access_token}`;
  const walletHeaders = {
    authorization,
    'idempotency-key': secret('planted-idempotency-key'),
    traceparent: TRACEPARENT,
  };
  const wallets = `${server.baseUrl}/v1/wallets`;
  const { body: wallet } = await postJson(wallets, { custody: 'managed' }, walletHeaders);
  const { wallet_id: walletId = '', address: walletAddress = '' } = wallet as Readonly<
    Record<string, string>
  >;
  secret(walletId);
  secret(walletAddress);
  const message = secret(Buffer.from('a planted message').toString('base64'));
  const signed = await postJson(`${wallets}/${walletId}/sign`, { message }, { authorization });
  expect(signed.status).toBe(200);
  secret(String(signed.body.signature));
  await fetch(`${wallets}/${planted}`, { headers: { authorization } });
  await fetch(`${server.baseUrl}/account/v1/keys`, { headers: { authorization } });

  await eventually('spans are counted', async () => {
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    return /^keyslot_trace_spans_total\{outcome="exported"\} [1-9]/m.test(metrics) || undefined;
  });
  await postJson(server.rpcUrl, call('getGenesisHash'));
  await server.stop();
  isStopped = true;

  const spans = receiver.spans();
  // The last request was traced: what waits is sent when the server stops.
  expect(spans.map(({ attributes }) => attributes['rpc.method'])).toContain('getGenesisHash');
  const sent = receiver.texts.join('\n');
  for (const text of secrets) expect(text.length > 8 && sent.includes(text), text).toBe(false);
  expect(new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))).toEqual(new Set(ATTRIBUTES));
  expect(new Set(spans.map(({ name }) => name))).toEqual(
    new Set([
      ...[
        'json-rpc request',
        'json-rpc call',
        'json-rpc calls',
        'node call',
        'websocket message',
        'grpc call',
      ],
      ...['grpc stream opened', 'grpc stream ended', 'rest operation', 'signer call', 'store transaction'],
    ]),
  );
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = ({ name, parentSpanId = '' }: (typeof spans)[number]): string => {
    const parent = byId.get(parentSpanId);
    return parent === undefined ? name : `${pathOf(parent)} > ${name}`;
  };
  const paths = new Set(spans.map(pathOf));
  for (const path of [
    'json-rpc request > json-rpc call > node call',
    'json-rpc request > json-rpc calls > node call',
    'websocket message > json-rpc call > node call',
    'rest operation > signer call',
    'rest operation > store transaction',
  ])
    expect(paths).toContain(path);
  const roots = spans.filter(({ name }) => name === 'json-rpc request');
  expect(roots.map(({ attributes }) => attributes['http.response.status_code'])).toEqual(
    expect.arrayContaining([200, 401]),
  );
  expect(spans.some(({ traceId, name }) => traceId === TRACE && name === 'rest operation')).toBe(true);
});
