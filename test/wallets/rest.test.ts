import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { setCreateLimit } from '../../src/account/plans/wallet-create-limit.ts';
import { useWalletService } from './use-service.ts';

const ORIGIN = 'https://app.example';
const service = useWalletService();
const open = useWalletService({ env: { KEYSLOT_WALLET_CORS_ORIGINS: ORIGIN } });

/** The bytes that a bare socket receives until the server closes it. */
async function speak(baseUrl: string, text: string): Promise<string> {
  const { port, hostname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const heard: Buffer[] = [];
  socket.on('data', (chunk) => heard.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(heard).toString();
}

test('nothing is cross-origin unless it is configured', async () => {
  const account = await service().newAccount();
  for (const [method, body] of [
    ['POST', {}],
    ['OPTIONS', undefined],
  ] as const) {
    const answer = await account.send(method, '/v1/wallets', body, { origin: ORIGIN });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('a configured origin may ask and read, another may not', async () => {
  const account = await open().newAccount();
  const preflight = await account.send('OPTIONS', '/v1/wallets', undefined, { origin: ORIGIN });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
  const answer = await account.send('POST', '/v1/wallets', {}, { origin: ORIGIN });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  const other = await account.send('POST', '/v1/wallets', {}, { origin: 'https://evil.example' });
  expect([other.headers.get('access-control-allow-origin'), other.headers.get('vary')]).toEqual([
    null,
    'origin',
  ]);
});

test.each([
  ['PUT', '/v1/wallets', 405, 'method_not_allowed', 'GET, HEAD, POST'],
  ['PUT', '/v1/wallets/x', 405, 'method_not_allowed', 'GET, HEAD, DELETE'],
  ['GET', '/v1/wallets/x/sign', 405, 'method_not_allowed', 'POST'],
  ['GET', '/v1/wallets/x/y', 404, 'not_found', null],
  ['GET', '/v1/', 404, 'not_found', null],
  ['GET', '/v1/wallets/%zz', 404, 'not_found', null],
  ['GET', `/v1/wallets/${'x'.repeat(8_000)}`, 404, 'wallet_not_found', null],
])('%s %s answers %i as a problem with its request id', async (method, path, status, code, allow) => {
  const { send } = await service().newAccount();
  const answer = await send(method, path);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('allow')]).toEqual([
    ...[status, 'application/problem+json; charset=utf-8', allow],
  ]);
  const requestId = answer.headers.get('x-request-id');
  expect(await answer.json()).toMatchObject({ code, status, request_id: requestId });
});

test('what comes as a body of an operation that has none is not looked at', async () => {
  const { send } = await service().newAccount();
  const answer = await send('DELETE', '/v1/wallets/w_1', 'x', { 'content-type': 'text/plain' });
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'wallet_not_found' }]);
});

test('a request without a body is one without members', async () => {
  const { send } = await service().newAccount();
  const made = await send('POST', '/v1/wallets');
  expect([made.status, await made.json()]).toMatchObject([201, { custody: 'client' }]);
  const tree = await send('POST', '/v1/wallets/hd', '', { 'content-type': 'application/json' });
  expect([tree.status, await tree.json()]).toMatchObject([200, { wallets: [{ custody: 'client' }] }]);
  const refused = await send('POST', '/v1/wallets/batch');
  const errors = [expect.objectContaining({ pointer: '/count' })];
  expect([refused.status, await refused.json()]).toMatchObject([400, { errors }]);
});

test('the form of a batch goes by its body, then by Accept', async () => {
  const { send } = await service().newAccount();
  const typeOf = async (accept: string, format?: string) => {
    const answer = await send('POST', '/v1/wallets/batch', { count: 1, format }, { accept });
    await answer.text();
    return `${answer.status} ${answer.headers.get('content-type')?.split(';')[0]}`;
  };
  expect(await typeOf('*/*')).toBe('200 application/jsonl');
  expect(await typeOf('text/csv')).toBe('200 text/csv');
  expect(await typeOf('application/jsonl;q=0.5, text/csv')).toBe('200 text/csv');
  expect(await typeOf('text/csv', 'jsonl')).toBe('200 application/jsonl');
  expect(await typeOf('application/x-ndjson')).toBe('200 application/x-ndjson');
  expect(await typeOf('application/x-ndjson;q=0.5, application/jsonl')).toBe('200 application/jsonl');
  expect(await typeOf('application/x-ndjson', 'jsonl')).toBe('200 application/x-ndjson');
  expect(await typeOf('application/json')).toBe('406 application/problem+json');
});

test.each([
  ['batch', 'application/jsonl; charset=utf-8', 'application/jsonl'],
  ['batch', 'text/csv; charset=utf-8; header=present', 'text/csv'],
  ['batch', 'application/jsonl;profile="a, b;q=0";q=0.5;level=1, text/csv;header=absent', 'text/csv'],
  ['batch', 'text/csv;charset=utf-8;q=0, */*;version=1', 'application/jsonl'],
  ['batch', 'application/x-ndjson;charset=utf-8', 'application/x-ndjson'],
  ['batch', '', 'application/jsonl'],
  ['hd', 'application/json; charset=utf-8', 'application/json'],
  ['hd', 'application/jsonl ; charset="utf-8"', 'application/jsonl'],
  ['hd', ' , ', 'application/json'],
])('%s answers Accept "%s" with %s: only q refuses', async (path, accept, type) => {
  const { send } = await service().newAccount();
  const body = path === 'batch' ? { count: 1 } : {};
  const answer = await send('POST', `/v1/wallets/${path}`, body, { accept });
  await answer.text();
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
});

test('a compressed body is refused, and the encoding named; where no body is read it does not count', async () => {
  const { send } = await service().newAccount();
  const encoded = { 'content-encoding': 'gzip' };
  const refused = await send('POST', '/v1/wallets', {}, encoded);
  expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  expect(await refused.json()).toMatchObject({ code: 'content_encoding_not_allowed', encoding: 'gzip' });
  expect((await send('POST', '/v1/wallets', {}, { 'content-encoding': 'identity' })).status).toBe(201);
  expect((await send('GET', '/v1/wallets/x', undefined, encoded)).status).toBe(404);
  expect((await send('POST', '/v1/nowhere', {}, encoded)).status).toBe(404);
});

test('a refused client is told how to authenticate (RFC 6750)', async () => {
  const { baseUrl, newAccount } = service();
  const ask = async (authorization?: string) =>
    (
      await fetch(`${baseUrl}/v1/wallets/x`, {
        headers: authorization === undefined ? {} : { authorization },
      })
    ).headers.get('www-authenticate');
  expect(await ask()).toBe('Bearer');
  expect(await ask('Basic YTpi')).toBe('Bearer');
  expect(await ask('Bearer ks_tok_x')).toBe('Bearer error="invalid_token"');
  const { token } = await newAccount({ scopes: ['wallets:sign'] });
  expect(await ask(`Bearer ${token}`)).toBe('Bearer error="insufficient_scope", scope="wallets:read"');
});

test('an API key as token is told to be one, and where it belongs', async () => {
  for (const path of ['/v1/wallets/x', '/v1/wallets?limit=1']) {
    const headers = { authorization: 'Bearer ks_key_secret' };
    const answer = await fetch(`${service().baseUrl}${path}`, { headers });
    const problem = (await answer.json()) as { readonly detail: string };
    expect([answer.status, answer.headers.get('www-authenticate'), problem]).toMatchObject([
      ...[401, 'Bearer error="invalid_token"', { code: 'api_key_as_token' }],
    ]);
    expect(problem.detail).toMatch(/This is an API key.*Authorization: Bearer.*query parameter apikey/);
    expect(problem.detail).not.toContain('secret');
  }
});

test('requests that create are counted, a batch as one; the fields say how many are left', async () => {
  const { send, id } = await service().newAccount();
  await setCreateLimit(service(), id, 2);
  const first = await send('POST', '/v1/wallets', { custody: 'nobody' });
  expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([400, '"wallet-create";q=2;w=60']);
  const second = await send('POST', '/v1/wallets/batch', { count: 5 });
  expect([second.status, second.headers.get('ratelimit')]).toEqual([
    200,
    expect.stringMatching(/^"wallet-create";r=0;t=\d+$/),
  ]);
  await second.text();
  const third = await send('POST', '/v1/wallets', {});
  expect([third.status, Number(third.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(third.headers.get('ratelimit')).toMatch(/r=0/);
});

test('a body that was read and refused weighs by its bytes, one that is too large as a call', async () => {
  const { send, id } = await service().newAccount();
  await setCreateLimit(service(), id, 500);
  const left = async (body: unknown): Promise<readonly [status: number, left: number]> => {
    const { status } = await send('POST', '/v1/wallets', body);
    const next = await send('POST', '/v1/wallets', { custody: 'nobody' });
    return [status, Number(/r=(\d+)/.exec(next.headers.get('ratelimit') ?? '')?.[1])];
  };
  expect(await left({ custody: 'nobody' })).toEqual([400, 498]);
  expect(await left({ custody: 'x'.repeat(160 * 1024) })).toEqual([400, 486]);
  expect(await left({ custody: 'x'.repeat(2 * 1024 * 1024) })).toEqual([413, 484]);
  await setCreateLimit(service(), id, 17);
  expect(await left({ custody: 'x'.repeat(800 * 1024) })).toEqual([400, 0]);
});

test('a body that does not arrive, or is framed wrongly, is answered with a problem too', async () => {
  const { baseUrl, newAccount } = service();
  const { token } = await newAccount();
  const head = `POST /v1/wallets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const late = await speak(baseUrl, `${head}Content-Length: 20\r\n\r\n{`);
  expect(late).toMatch(/^HTTP\/1.1 408 [\s\S]*application\/problem\+json[\s\S]*"code":"request_timeout"/);
  const broken = await speak(baseUrl, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
  expect(broken).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"body_invalid"/);
});

test('a client that leaves before its body is whole is nobody’s failure', async () => {
  const { baseUrl, newAccount, refusals } = service();
  const { token } = await newAccount();
  const { port, hostname } = new URL(baseUrl);
  const before = await refusals();
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/wallets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.resetAndDestroy();
  // Whatever was to be counted for it is counted before a later request is answered.
  await fetch(`${baseUrl}/v1/wallets/x`);
  await fetch(`${baseUrl}/v1/wallets/x`);
  expect((await refusals()).filter((line) => line.includes('internalError'))).toEqual(
    before.filter((line) => line.includes('internalError')),
  );
});

test('a client that waits for 100 Continue gets it when the token is good, and 401 at once when it is not', async () => {
  const { baseUrl, newAccount } = service();
  const { token } = await newAccount();
  const ask = (authorization: string, body: string) =>
    speak(
      baseUrl,
      `POST /v1/wallets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n${body}`,
    );
  expect(await ask(`Bearer ${token}`, '{}')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  expect(await ask('Bearer x', '{}')).toMatch(/^HTTP\/1.1 401 /);
});

test('a target in absolute form is served (RFC 9112, section 3.2.2)', async () => {
  const { baseUrl } = service();
  expect(
    await speak(baseUrl, 'GET http://a/v1/wallets/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
  ).toMatch(/"code":"token_missing"/);
});

test('two faults are told at once, each with its place', async () => {
  const { send } = await service().newAccount();
  const answer = await send('POST', '/v1/wallets/batch', { count: 10_001, custody: 'x', more: 1 });
  const { errors } = (await answer.json()) as { errors: readonly { pointer: string }[] };
  expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/count', '/custody', '/more']);
});
