import { once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer } from 'node:net';
import { Keypair } from '@solana/web3.js';
import { expect, test, vi } from 'vitest';
import { parseJson } from '../../../src/core/rpc/json.ts';
import { startRpcServer } from '../../../src/localnet/serve-ledger.ts';
import { SocketServer } from '../../../src/localnet/socket/socket-server.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { freePortPair } from '../../support/free-port-pair.ts';
import { newLedger } from '../new-ledger.ts';
import { fundedWallet, memo, signed, SOL } from '../transactions.ts';
import { LedgerSocket } from './ledger-socket.ts';
import { serveLedger } from './serve-ledger.ts';

const address = Keypair.generate().publicKey.toBase58();

test('every method can be called, with the same answer as over HTTP, on any path', async () => {
  const { url, ledger } = await serveLedger();
  const client = await LedgerSocket.open(`${url}any/path?apikey=unused`);
  const params = [ledger.genesis.faucet.address];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'call 0', method: 'getAccountInfo', params });
  const headers = { 'content-type': 'application/json' };
  const overHttp = await fetch(url.replace('ws:', 'http:'), { method: 'POST', headers, body });
  await client.call('getAccountInfo', ...params);
  expect(client.texts).toEqual([await overHttp.text()]);
  expect(client.texts[0]).toContain('"rentEpoch":18446744073709551615');
  expect(await client.refusal('nope')).toMatchObject({ code: -32601, message: 'Method not found' });
  await client.close();
});

test('over HTTP there are no subscriptions', async () => {
  const { url } = await serveLedger();
  const response = await fetch(url.replace('ws:', 'http:'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }),
  });
  expect(await response.json()).toMatchObject({ error: { code: -32601 } });
});

test('a batch is answered in order, before what its subscriptions have to tell', async () => {
  const served = await serveLedger();
  const client = await served.connect();
  const wallet = await fundedWallet(served);
  const filter = { mentions: [wallet.publicKey.toBase58()] };
  const text = signed(served, [wallet], memo('in a batch'));
  const calls = [
    { method: 'logsSubscribe', params: [filter, { commitment: 'processed' }] },
    { method: 'sendTransaction', params: [text, { encoding: 'base64', skipPreflight: true }] },
    { method: 'nope' },
  ];
  client.socket.send(JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))));
  await eventually('the logs come', () => client.notifications()[0]);
  const [replies, notification] = client.texts.map((each) => JSON.parse(each));
  expect(replies).toMatchObject([{ id: 0, result: 0 }, { id: 1 }, { id: 2, error: { code: -32601 } }]);
  expect(notification).toMatchObject({
    method: 'logsNotification',
    params: { subscription: 0, result: { value: { signature: replies[1].result } } },
  });
});

test('the reply precedes the notification, which is held until clients listen', async () => {
  const { call, connect } = await serveLedger({ settleMs: 1_000 });
  const signature = await call('requestAirdrop', address, SOL);
  const client = await connect();
  const id = await client.subscribe('signatureSubscribe', signature, { commitment: 'processed' });
  expect(await client.notificationsOf(id)).toEqual([]);
  expect(await eventually('it is told', () => client.notifications()[0])).toMatchObject({
    jsonrpc: '2.0',
    method: 'signatureNotification',
    params: { subscription: id, result: { context: { slot: 32 }, value: { err: null } } },
  });
});

test('what a subscription told while it was held is not sent after its end', async () => {
  const { call, tick, connect } = await serveLedger({ settleMs: 1_000 });
  const client = await connect();
  const slots = await client.subscribe('slotSubscribe');
  tick();
  await client.call('slotUnsubscribe', slots);
  const signature = await call('requestAirdrop', address, SOL);
  await client.subscribe('signatureSubscribe', signature, { commitment: 'processed' });
  await eventually('the later one is told', () => client.notifications()[0]);
  expect(client.notifications().map(({ method }) => method)).toEqual(['signatureNotification']);
});

test('notifications without an id are not answered, known or not, and what cannot be read is', async () => {
  const { connect, tick } = await serveLedger();
  const client = await connect();
  for (const message of [{ method: 'ping' }, { method: 'slotSubscribe' }, { method: 'getHealth' }])
    client.socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  client.socket.send('[]');
  tick();
  await client.call('getHealth');
  expect(client.texts).toHaveLength(1);
  client.socket.send('{"jsonrpc"');
  client.socket.send('{"jsonrpc":"2.0","id":7}');
  client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":8,"method":"getHealth"}'));
  await eventually('all are answered', () => client.texts[3]);
  expect(client.texts.slice(1).map(parseJson)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 7, error: { code: -32600 } },
    { id: 8, result: 'ok' },
  ]);
});

test('a message of the largest size is taken, one byte more closes with 1009', async () => {
  const { connect } = await serveLedger();
  const client = await connect();
  const call = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  client.socket.send(call.padEnd(51_200));
  expect(await eventually('it is answered', () => client.replies()[0])).toMatchObject({ result: 'ok' });
  client.socket.send(call.padEnd(51_201));
  expect((await client.closed).code).toBe(1009);
});

test('what is not UTF-8 closes with 1007', async () => {
  const { connect } = await serveLedger();
  const client = await connect();
  client.socket.send(Buffer.from([0x22, 0xff, 0x22]));
  expect(await client.closed).toEqual({ code: 1007, reason: 'Messages must be JSON in UTF-8' });
});

test('a ping is answered with its own data', async () => {
  const { connect } = await serveLedger();
  const { socket } = await connect();
  const pong = once(socket, 'pong');
  socket.ping('still there?');
  expect(String((await pong)[0])).toBe('still there?');
});

test('a reader that does not read is closed with a reason, and the others are told on', async () => {
  const { tick, connect } = await serveLedger({ maxBufferedBytes: 200_000 });
  const [slow, quick] = [await connect(), await connect()];
  const history = 'SysvarS1otHistory11111111111111111111111111';
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const id = await slow.subscribe('accountSubscribe', history, config);
  expect(await quick.subscribe('accountSubscribe', history, config)).toBe(id);
  slow.socket.pause();
  // Each is 175,000 bytes. The system's own buffers take some megabytes before any byte waits in the process.
  for (let slots = 1; slots <= 100; slots++) {
    tick();
    await eventually('it is told', () => quick.texts[slots], { intervalMs: 1 });
  }
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1008, reason: 'More than 200000 bytes are waiting to be read' });
  expect(slow.texts.length).toBeGreaterThan(1);
  expect(slow.texts.length).toBeLessThan(100);
  expect(slow.texts).toEqual(quick.texts.slice(0, slow.texts.length));
});

test('what is held for a new subscription counts as waiting too', async () => {
  const { tick, connect } = await serveLedger({ maxBufferedBytes: 1_000, settleMs: 60_000 });
  const client = await connect();
  await client.subscribe('slotSubscribe');
  tick(5);
  expect(await client.call('getHealth')).toBe('ok');
  tick(20);
  expect(await client.closed).toEqual({ code: 1008, reason: 'More than 1000 bytes are waiting to be read' });
  expect(client.notifications()).toEqual([]);
});

test('a client that does not read its answers is not served more of them, and gets all when it reads', async () => {
  const { ledger, connect } = await serveLedger();
  const [slow, other] = [await connect(), await connect()];
  const served = vi.spyOn(ledger, 'slotAt');
  slow.socket.pause();
  const calls = 30;
  for (let id = 0; id < calls; id++)
    slow.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'getLeaderSchedule' }));
  await eventually('the first is served', () => (served.mock.calls.length > 0 ? true : undefined));
  for (let turn = 0; turn < 50; turn++) await other.call('getHealth');
  // An answer has 3 MB: what the system's own buffers hold, and one more.
  expect(served.mock.calls.length).toBeLessThan(10);
  slow.socket.resume();
  await eventually('all are answered', () => slow.texts[calls - 1]);
  expect(slow.texts.map((text) => Number(/"id":(\d+)}\n$/.exec(text)?.[1]))).toEqual([
    ...Array(calls).keys(),
  ]);
});

test('a client that gives no sign of life is cut, one that answers pings is not', async () => {
  const { url, connect } = await serveLedger({ pulseMs: 400 });
  const alive = await connect();
  const silent = await LedgerSocket.open(url, { autoPong: false });
  expect((await silent.closed).code).toBe(1006);
  expect(await alive.call('getHealth')).toBe('ok');
});

test('an ended connection leaves nothing behind', async () => {
  const { ledger } = newLedger();
  const sockets = new SocketServer(ledger);
  const server = createHttpServer().on('upgrade', sockets.upgrade).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = await LedgerSocket.open(`ws://127.0.0.1:${port}`);
  await client.subscribe('slotSubscribe');
  expect([sockets.size, sockets.subscriptionCount]).toEqual([1, 1]);
  client.socket.terminate();
  await eventually('it is noticed', () => (sockets.size === 0 ? true : undefined));
  expect(sockets.subscriptionCount).toBe(0);
  await sockets.close(0);
  server.close();
});

test('closing tells clients with 1001', async () => {
  const { ledger } = newLedger();
  const server = await startRpcServer(ledger, { host: '127.0.0.1', port: 0 });
  const client = await LedgerSocket.open(`ws://127.0.0.1:${server.port}`);
  await server.close(1_000);
  expect(await client.closed).toEqual({ code: 1001, reason: 'The ledger is shutting down' });
});

test('a client that does not read does not hold up the end', async () => {
  const { ledger } = newLedger();
  const server = await startRpcServer(ledger, { host: '127.0.0.1', port: 0 });
  const client = await LedgerSocket.open(`ws://127.0.0.1:${server.port}`);
  client.socket.pause();
  await server.close(50);
  client.socket.resume();
  expect([1001, 1006]).toContain((await client.closed).code);
});

test('where a port is asked for, the next one serves too; taken, it is named and nothing is left listening', async () => {
  const { ledger } = newLedger();
  const port = await freePortPair();
  const server = await startRpcServer(ledger, { host: '127.0.0.1', port });
  const client = await LedgerSocket.open(`ws://127.0.0.1:${port + 1}/?apikey=unused`);
  expect(await client.call('getHealth')).toBe('ok');
  await server.close(1_000);
  const holder = createServer().listen(port + 1, '127.0.0.1');
  await once(holder, 'listening');
  await expect(startRpcServer(ledger, { host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'portTaken',
    message: expect.stringContaining(`127.0.0.1:${port + 1}`),
  });
  const again = createServer().listen(port, '127.0.0.1');
  await once(again, 'listening');
  again.close();
  holder.close();
});

test('what is no handshake is refused over HTTP', async () => {
  const { url } = await serveLedger();
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  const asked = request(url.replace('ws:', 'http:'), { headers }).end();
  const [response] = (await once(asked, 'response')) as [{ statusCode: number }];
  expect(response.statusCode).toBe(400);
  const other = await fetch(url.replace('ws:', 'http:'), { headers: { 'x-upgrade': 'none' } });
  expect(other.status).toBe(405);
});
