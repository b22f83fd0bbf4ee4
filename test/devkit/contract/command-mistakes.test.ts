import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startNode } from '../../support/node-process.ts';
import { useContractCommand } from './use-contract-command.ts';

const { contract, running } = useContractCommand();

test.each([
  ['a page', '<html>', 'getSlot: HTTP 200 without a JSON-RPC result: <html>'],
  ['nothing', '', 'getSlot: HTTP 200 without a JSON-RPC result'],
  ['null', 'null', 'getSlot: HTTP 200 without a JSON-RPC result: null'],
  [
    'an error of another shape',
    '{"error":"boom"}',
    'getSlot: HTTP 200 without a JSON-RPC result: {"error":"boom"}',
  ],
  [
    'a text for every result',
    '{"jsonrpc":"2.0","id":1,"result":"x"}',
    'getSlot answered "x", which is not a slot',
  ],
])('a server that answers %s cannot be asked, and the line says why', async (_what, body, reason) => {
  const server = createServer((_request, response) => response.end(body));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  running.push({ stop: () => new Promise((done) => server.close(() => done())) });
  const { ended, stderr } = await contract(
    '--url',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  expect([ended, stderr]).toEqual(['exit code 2', expect.stringContaining(reason)]);
});

test('a run that is told to stop ends', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const asked = once(silent, 'request');
  const { port } = silent.address() as AddressInfo;
  const child = startNode(['src/main.ts', 'contract', '--url', `http://127.0.0.1:${port}`], {});
  const [request] = (await asked) as [IncomingMessage];
  const gone = once(request.socket, 'close');
  await child.stop();
  await gone;
  expect(child.ended()).toBe('signal SIGTERM');
  silent.close();
});

test.each([
  ['no address', [], 'missing --url URL'],
  ['an invalid address', ['--url', 'localhost:8899'], '--url must be an http or https address'],
  ['an invalid rate', ['--url', 'http://127.0.0.1:2', '--rate', '0'], '--rate must be a number'],
  [
    'an invalid WebSocket address',
    ['--url', 'http://127.0.0.1:2', '--ws-url', 'http://127.0.0.1:2'],
    '--ws-url must be a ws or wss address',
  ],
  [
    'subscriptions without an address of the ledger',
    ['--grpc', 'http://127.0.0.1:2', '--ws'],
    '--ws needs --url, and with --token or --session also --apikey',
  ],
  ['an unknown option', ['--url', 'http://127.0.0.1:2', '--fast'], '--fast'],
  [
    'a server that is not there',
    ['--url', 'http://127.0.0.1:2', '--apikey', 'ks_key_secret'],
    'ECONNREFUSED',
  ],
])('%s is a mistake: exit code 2 and a line that says why', async (_, args, reason) => {
  const { ended, stdout, stderr } = await contract(...args);
  expect([ended, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
  expect(stderr.split('\n')).toHaveLength(2);
  expect(stderr).not.toContain('ks_key_secret');
});
