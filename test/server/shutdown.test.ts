import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../src/core/eventually.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHttpServer } from '../../src/server/http/http-server.ts';
import { echoResult, type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, post, RPC_PATH, startGateway } from './start-gateway.ts';
import { startBusyMachineClock } from '../support/busy-machine-clock.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url] });
});

afterEach(() => node.close());

const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

test('a stopping server lets requests under way finish and takes no new connection', async () => {
  const arrived = Promise.withResolvers<() => void>();
  node.play((response, seen, attempt) => arrived.resolve(() => echoResult('9')(response, seen, attempt)));
  const answer = post(gateway.rpcUrl, CALL);
  const finish = await arrived.promise;
  const closed = gateway.close(5_000);
  const isServed = (): Promise<boolean> =>
    fetch(`${gateway.baseUrl}/healthz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually('connections are refused', async () => ((await isServed()) ? undefined : true));
  finish();
  expect(await (await answer).json()).toMatchObject({ result: 9 });
  await closed;
});

test('kept-alive connections do not hold the server up', async () => {
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    const request = httpRequest(`${gateway.baseUrl}/healthz`, { agent }, (response) => {
      response.resume().once('end', resolve);
    });
    request.once('error', reject).end();
  });
  using since = startBusyMachineClock();
  await gateway.close(5_000);
  agent.destroy();
  expect(since.elapsedMs()).toBeLessThan(2_000);
});

test('a request that was on its way on a kept-alive connection is answered, and the connection closed', async () => {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  const request = `POST ${RPC_PATH}?apikey=${KEY} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${CALL.length}\r\n\r\n${CALL}`;
  socket.write(request);
  await new Promise((resolve) => socket.once('data', resolve));
  const closed = gateway.close(5_000);
  socket.write(request);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer.toLowerCase()).toContain('connection: close');
  await closed;
});

test('requests that outlast the deadline are cut off', async () => {
  const arrived = Promise.withResolvers<void>();
  node.play(() => arrived.resolve());
  const answer = post(gateway.rpcUrl, CALL);
  const failed = expect(answer).rejects.toThrow();
  await arrived.promise;
  await gateway.close(50);
  await failed;
});

/** A server that answers everything with 200. */
const startPlainServer = () =>
  startHttpServer(async (_request, response) => void response.end('ok'), {
    host: '127.0.0.1',
    port: 0,
    portSetting: 'http.port',
    requestTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
  });

test('before it stops, a server closes each connection after its next answer, new ones included', async () => {
  const server = await startPlainServer();
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    await answer.text();
    return [answer.status, answer.headers.get('connection')];
  };
  expect(await ask()).toEqual([200, 'keep-alive']);
  server.closeAfterAnswers();
  expect([await ask(), await ask()]).toEqual([
    [200, 'close'],
    [200, 'close'],
  ]);
  await server.close(1_000);
});
