import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ServiceError, serviceError } from '../../../src/core/service-error.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { openSocket } from '../../support/socket-client.ts';
import { echoResult, type ScriptedNode, startScriptedNode } from '../scripted-node.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../start-gateway.ts';
import { startBusyMachineClock } from '../../support/busy-machine-clock.ts';

let node: ScriptedNode;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  node = await startScriptedNode();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await node.close();
});

async function start(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const gateway = await startGateway({ nodeUrls: [node.url], ...options });
  closing.push(() => gateway.close());
  return gateway;
}

test.each([
  ['revoked', serviceError('apiKeyRevoked'), 4001],
  ['expired', serviceError('apiKeyExpired'), 4002],
])('a key that is %s closes its connections within a second', async (_, error, code) => {
  let refusal: ServiceError | undefined;
  const { wsUrl, metrics } = await start({ refusalOf: () => refusal });
  const client = await openSocket(wsUrl);
  await client.call('getSlot');
  using since = startBusyMachineClock();
  refusal = error;
  expect(await client.closed).toEqual({ code, reason: error.message });
  expect(since.elapsedMs()).toBeLessThan(1_000);
  const counted = `keyslot_ws_closes_total{reason="${error.code}"} 1`;
  await eventually('it is counted', async () =>
    (await metrics.registry.metrics()).includes(counted) ? true : undefined,
  );
});

test('a stopping server answers what is under way, then says goodbye', async () => {
  const gateway = await startGateway({ nodeUrls: [node.url] });
  const client = await openSocket(gateway.wsUrl);
  const arrived = Promise.withResolvers<() => void>();
  node.play((response, seen, attempt) => arrived.resolve(() => echoResult('9')(response, seen, attempt)));
  const answer = client.call('getSlot');
  const finish = await arrived.promise;
  const closed = gateway.close(5_000);
  finish();
  expect((await answer).result).toBe(9);
  expect(await client.closed).toEqual({ code: 1001, reason: 'the server is stopping' });
  await closed;
});

test('a stopping server waits no longer than its deadline, whatever clients do', async () => {
  const gateway = await startGateway({ nodeUrls: [node.url] });
  node.play(() => undefined);
  const client = await openSocket(gateway.wsUrl);
  const failed = expect(client.call('getSlot')).rejects.toThrow('1001');
  await eventually('the call is there', () => node.seen.length === 1 || undefined);
  const deaf = await openSocket(gateway.wsUrl);
  deaf.socket.pause();
  using since = startBusyMachineClock();
  await gateway.close(100);
  expect(since.elapsedMs()).toBeLessThan(2_000);
  await failed;
  deaf.socket.terminate();
});

test('a connection from which not even a pong comes is closed', async () => {
  const { wsUrl } = await start({ sockets: { idleTimeoutMs: 1_000 } });
  const client = await openSocket(wsUrl, { autoPong: false });
  expect(await client.closed).toEqual({ code: 4004, reason: expect.stringContaining('1000 ms') });
});

test('a connection that answers pings stays, however quiet it is', async () => {
  // By the clock of the test: a process that stands still for a second would find it silent.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { baseUrl, wsUrl } = await start({ sockets: { idleTimeoutMs: 1_000 } });
  closing.push(async () => vi.useRealTimers());
  const client = await openSocket(wsUrl);
  let pings = 0;
  client.socket.on('ping', () => pings++);
  while (pings < 3) {
    vi.advanceTimersByTime(250);
    // A round trip: what was sent before it has arrived.
    await (await fetch(`${baseUrl}/healthz`)).text();
  }
  expect((await client.call('getSlot')).result).toBe(1);
});

test('a client that does not read its answers is not read from, and not kept for ever', async () => {
  const { wsUrl, metrics } = await start({
    sockets: { idleTimeoutMs: 1_000, maxCalls: 4 },
    maxBufferedBytes: 16 * 1024 * 1024,
  });
  node.play(echoResult(`"${'x'.repeat(4_000_000)}"`));
  const client = await openSocket(wsUrl);
  client.socket.pause();
  for (let id = 0; id < 50; id++) client.send(`{"jsonrpc":"2.0","id":${id},"method":"getSlot"}`);
  const closes = async () =>
    /^keyslot_ws_closes_total\{reason="socketIdle"\} 1/m.test(await metrics.registry.metrics()) || undefined;
  await eventually('it is closed', closes);
  expect(node.seen.length).toBeLessThan(10);
});

test('bytes that are no frame end the connection, and nothing else', async () => {
  const { wsUrl, metrics } = await start();
  const other = await openSocket(wsUrl);
  const { port, pathname, search } = new URL(wsUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.write(Buffer.alloc(5_000, 0xff));
  await ended;
  expect((await other.call('getSlot')).result).toBe(1);
  await eventually('it is counted as what it was', async () =>
    (await metrics.registry.metrics()).includes('keyslot_ws_closes_total{reason="protocol"} 1')
      ? true
      : undefined,
  );
});
