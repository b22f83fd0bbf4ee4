import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { allowAddresses } from '../../../src/account/webhooks/allowed-addresses.ts';
import { createPostEvent, type PostOptions } from '../../../src/account/webhooks/post-event.ts';
import { readTarget } from '../../../src/account/webhooks/target.ts';

const LOOPBACK = { address: '127.0.0.1', family: 4 };
const nobody = allowAddresses([], false);
const loopback = allowAddresses([], true);

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function sender(options: Partial<PostOptions> = {}) {
  const resolve = () => Promise.reject(new Error('no name was to be resolved'));
  const { post, close } = createPostEvent({ isAllowed: loopback.any, timeoutMs: 2_000, resolve, ...options });
  onTestFinished(close);
  const signal = new AbortController().signal;
  return (url: string) => post({ url: new URL(url), headers: { 'webhook-id': 'a' }, body: '{}', signal });
}

test.each([
  ...[
    '127.0.0.1',
    '[::1]',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ],
  ...[
    '[fe80::1]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '224.0.0.1',
    '0x7f.1',
    '2130706433',
  ],
  // Registered after many libraries were written, or given out for no one.
  ...[
    '[::7f00:1]',
    '[::10.0.0.1]',
    '[64:ff9b:1::1]',
    '[5f00::1]',
    '[3fff::1]',
    '[100::1]',
    '[fec0::1]',
    '[4000::1]',
  ],
  ...['[2001::1]', '[2001:20::1]', '[2620:4f:8000::1]', '[ff02::1]', '192.0.0.8', '192.88.99.2', '240.0.0.1'],
])('nothing is sent to %s', async (host) => {
  const send = sender({ isAllowed: nobody.any });
  const answer = await send(`https://${host}/`);
  expect(answer).toMatchObject({ kind: 'failed' });
  expect(answer.kind === 'failed' && answer.error).toMatch(/has no public address$/);
});

test('public addresses are allowed, of both kinds', () => {
  for (const address of [
    '93.184.216.34',
    '8.8.8.8',
    '223.255.255.254',
    '2606:4700:4700::1111',
    '2a00:1450::1',
  ])
    expect([address, nobody.any(address)]).toEqual([address, true]);
  for (const address of ['::ffff:8.8.8.8', '::8.8.8.8', 'localhost', ''])
    expect([address, nobody.any(address)]).toEqual([address, false]);
});

test('a name is resolved once, and only its allowed addresses are connected to', async () => {
  const port = await serve((_request, response) => response.end());
  const asked: string[] = [];
  const refuses = sender({
    isAllowed: nobody.any,
    resolve: (host) => {
      asked.push(host);
      return Promise.resolve([LOOPBACK, { address: '10.0.0.1', family: 4 }]);
    },
  });
  expect(await refuses(`http://innocent.example:${port}/`)).toEqual({
    kind: 'failed',
    error: 'innocent.example has no public address',
  });
  expect(asked).toEqual(['innocent.example']);
  // A name that does not exist fails in the same way: names of the operator's network are not to be found out.
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND innocent.example'), { code: 'ENOTFOUND' });
  const finds = sender({ resolve: () => Promise.reject(unknown) });
  expect(await finds(`http://innocent.example:${port}/`)).toEqual(
    await refuses(`http://innocent.example:${port}/`),
  );
  // The first answer is harmless and the second is not: only the first counts.
  const lies = [[LOOPBACK], [{ address: '10.0.0.1', family: 4 }]];
  const rebinds = sender({ resolve: () => Promise.resolve(lies.shift() ?? []) });
  expect(await rebinds(`http://innocent.example:${port}/`)).toMatchObject({ kind: 'answered', status: 200 });
  expect(lies).toHaveLength(1);
});

test('a redirect is an answer, and is not followed', async () => {
  let requests = 0;
  const port = await serve((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/elsewhere' }).end('moved');
  });
  expect(await sender()(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 302, text: 'moved' });
  expect(requests).toBe(1);
});

test('a receiver that hangs is given up after the timeout', async () => {
  const port = await serve(() => undefined);
  expect(await sender({ timeoutMs: 100 })(`http://127.0.0.1:${port}/`)).toEqual({
    kind: 'failed',
    error: 'no answer within 100 ms',
  });
});

test('a status counts although its body never ends', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200);
    response.write('half');
  });
  const answer = await sender({ timeoutMs: 200 })(`http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ kind: 'answered', status: 200, text: 'half' });
});

test('of a body without end only the beginning is read', async () => {
  const port = await serve((_request, response) => {
    const write = (): void => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', write);
    };
    write();
  });
  const answer = await sender()(`http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ kind: 'answered', status: 200 });
  expect(answer.kind === 'answered' && answer.text.length).toBe(1_024);
});

test.each([
  ['7', 7_000],
  ['0', undefined],
  ['soon', undefined],
  ['1.5', 1_500],
  ['99999999', 604_800_000],
  ['999999999999', 604_800_000],
  ['9'.repeat(400), 604_800_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 604_800_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
])('Retry-After: %s', async (text, retryAfterMs) => {
  const port = await serve((_request, response) => response.writeHead(503, { 'retry-after': text }).end());
  expect(await sender()(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 503, retryAfterMs });
});

test('a connection that is refused is told by its code', async () => {
  const port = await serve(() => undefined);
  const gone = createServer();
  await new Promise<void>((listening) => gone.listen(0, '127.0.0.1', listening));
  const { port: free } = gone.address() as AddressInfo;
  await new Promise((closed) => gone.close(closed));
  expect(free).not.toBe(port);
  expect(await sender()(`http://127.0.0.1:${free}/`)).toEqual({ kind: 'failed', error: 'ECONNREFUSED' });
});

test.each([
  ['ftp://hooks.example.com/', 'must be an https URL'],
  ['http://hooks.example.com/', 'must begin with https://'],
  ['https://user:word@hooks.example.com/', 'must not contain a user or a password'],
  ['https://hooks.example.com/#part', 'must not contain a fragment'],
  ['https://localhost/', 'must not lead to localhost, which is not a public address'],
  ['https://169.254.169.254/latest', 'must not lead to 169.254.169.254, which is not a public address'],
  ['http://8.8.8.8/', 'must begin with https://'],
  [`https://hooks.example.com/${'a'.repeat(2_000)}`, 'must be an https URL of at most 2000 characters'],
])('a webhook cannot be at %s', (url, detail) => {
  expect(() => readTarget(url, nobody)).toThrow(
    expect.objectContaining({
      code: 'bodyInvalid',
      context: expect.objectContaining({ errors: [{ pointer: '/url', detail }] }),
    }),
  );
});

test('the development account of a server on loopback may call loopback without TLS', () => {
  expect(readTarget('http://localhost:3000/hook', loopback).port).toBe('3000');
  expect(readTarget('http://127.0.0.1/', loopback).hostname).toBe('127.0.0.1');
  expect(() => readTarget('http://10.0.0.1/', loopback)).toThrow();
  expect(readTarget('http://10.0.0.1/', allowAddresses(['10.0.0.0/8'], false)).hostname).toBe('10.0.0.1');
});
