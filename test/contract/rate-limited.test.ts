import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { post } from '../support/json-rpc.ts';

/** A server that refuses the first requests, with these headers, and serves the others. */
async function startBusyServer(refusals: number, headers: Record<string, string>) {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (++asked <= refusals) response.writeHead(429, headers).end('busy');
    else response.end('served');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { rpcUrl: `http://127.0.0.1:${port}/`, asked: () => asked };
}

test('a contract run comes again when a server that limits says so', async () => {
  const server = await startBusyServer(5, { 'retry-after': '0' });
  expect(await post(server, {})).toMatchObject({ status: 200, text: 'served' });
});

test('it gives up after five times', async () => {
  const server = await startBusyServer(7, { 'retry-after': '0' });
  expect(await post(server, {})).toMatchObject({ status: 429, text: 'busy' });
  expect(server.asked()).toBe(6);
});

test.each([{}, { 'retry-after': '121' }, { 'retry-after': 'Fri, 31 Dec 2999 23:59:59 GMT' }])(
  'a refusal with %j is an answer',
  async (headers) => {
    const server = await startBusyServer(1, headers);
    expect(await post(server, {})).toMatchObject({ status: 429 });
    expect(server.asked()).toBe(1);
  },
);
