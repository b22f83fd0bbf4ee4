import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WALLET_CONTRACT } from '../../generated/contract/wallets/contract.ts';
import { startRestMock } from '../../src/devkit/mock/rest-mock.ts';
import { pathHere } from '../codegen/fixture.ts';
import { askMock, checkMockedService, type MockedService } from '../devkit/mock/check-mocked-service.ts';
import { upload } from '../server/upload.ts';
import { type RunningMock, startMock } from '../support/keyslot.ts';

let mock: RunningMock;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());

const SERVICE: MockedService = {
  contract: WALLET_CONTRACT,
  baseUrl: () => mock.walletsUrl,
  // The mock takes any token, and knows no wallet from another.
  standIn: (name) => {
    if (name.endsWith('code')) return '123456';
    return name.includes('wallet_id') || name.startsWith('master') ? 'w_Mv1yfXSRds89fzXtB8iMzg' : 'stand-in';
  },
};

checkMockedService(SERVICE);

test('an example that does not fit its schema is found', async () => {
  const text = await readFile(pathHere('../../generated/wallets/openapi.json'), 'utf8');
  const faulty = text.replace('"custody": "client", "secret', '"custody": "nobody", "secret');
  const wrong = await startRestMock('127.0.0.1', 0, faulty);
  try {
    const found = await Promise.all(
      Object.values(WALLET_CONTRACT)
        .flatMap(({ cases }) => cases)
        .filter(({ kind }) => kind === 'example')
        .map(async (item) => (await askMock(SERVICE, item, wrong.url)).headers.get('sl-violations')),
    );
    expect(found.filter((violations) => violations !== null).length).toBeGreaterThan(0);
  } finally {
    await wrong.close();
  }
});

test('it says what it waits for', () => {
  expect(mock.stderr()).toContain('starting the mock of the wallet and account services (Prism)');
});

test('a port that is taken is said to be', async () => {
  const port = Number(new URL(mock.walletsUrl).port);
  await expect(startRestMock('127.0.0.1', port)).rejects.toThrow(/uses the port.* --wallets-port/);
});

const TOKEN = { Authorization: 'Bearer any', 'Content-Type': 'application/json' };

const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const init = { method: 'POST', headers: { ...TOKEN, ...headers } };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await fetch(`${mock.walletsUrl}/v1/wallets${path}`, { ...init, body: text });
};

test.each([
  ['', { custody: 'client' }, ['secret_key']],
  ['', { custody: 'managed' }, ['wallet_id']],
  ['', { mnemonic_words: 24 }, ['secret_key', 'mnemonic']],
  ['/batch', { count: 2 }, ['secret_key']],
  ['/batch', { count: 3, custody: 'managed' }, ['wallet_id']],
  ['/batch', { count: 2, format: 'csv' }, ['client']],
  ['/batch', { count: 3, custody: 'managed', format: 'csv' }, ['managed']],
  ['/hd', {}, ['secret_key', 'mnemonic']],
  ['/hd', { custody: 'managed', accounts: { count: 3 } }, ['wallet_id']],
  ['/hd', { custody: 'managed', format: 'jsonl' }, ['wallet_id']],
  ['/hd', { custody: 'managed', format: 'csv', change: { count: 2 } }, ['managed']],
  ['/hd', { master_wallet_id: 'w_LVoDP5LoaKzGkAuQj7rm4z' }, ['wallet_id']],
])('%s %o is answered with wallets of its custody, in its form', async (path, body, members) => {
  const response = await post(path, body);
  const text = await response.text();
  const isManaged = JSON.stringify(body).includes('managed') || 'master_wallet_id' in body;
  expect(text.includes('managed')).toBe(isManaged);
  expect(text.includes(',client,') || text.includes('"client"')).toBe(!isManaged);
  for (const member of members) expect(text).toContain(member);
  const isCsv = 'format' in body && body.format === 'csv';
  expect(response.headers.get('content-type')?.startsWith('text/csv')).toBe(isCsv);
  expect(response.headers.has('content-disposition')).toBe(isCsv);
  expect(response.headers.has('x-wallet-count')).toBe(text.includes('\n'));
});

test.each([
  ['a body that is not JSON', 400, 'body_invalid', () => post('', '{')],
  ['a batch that is too large', 400, 'body_invalid', () => post('/batch', { count: 10_001 })],
  ['a member in the query', 400, 'body_invalid', () => post('?custody=managed', {})],
  [
    'another type of body',
    415,
    'content_type_not_allowed',
    () => post('', '{}', { 'Content-Type': 'text/plain' }),
  ],
  [
    'a compressed body',
    415,
    'content_encoding_not_allowed',
    () => post('', '{}', { 'Content-Encoding': 'gzip' }),
  ],
  [
    'an idempotency key with a space',
    400,
    'idempotency_key_invalid',
    () => post('', {}, { 'Idempotency-Key': 'a b' }),
  ],
  [
    'a form that it has not',
    406,
    'not_acceptable',
    () => post('/batch', { count: 1 }, { Accept: 'image/png' }),
  ],
  ['no token, and a body that is not JSON', 401, 'token_missing', () => post('', '{', { Authorization: '' })],
  ['a path where nothing is', 404, 'not_found', () => post('/w_1/seal', {})],
  [
    'a method that the path has not',
    405,
    'method_not_allowed',
    () => fetch(`${mock.walletsUrl}/v1/wallets/hd`, { headers: TOKEN }),
  ],
  [
    'no second factor',
    403,
    'two_factor_missing',
    () => fetch(`${mock.walletsUrl}/v1/wallets/w_1`, { method: 'DELETE', headers: TOKEN }),
  ],
])('refuses %s in the words of the server', async (_, status, code, ask) => {
  const response = await ask();
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.json()).toMatchObject({ status, code, type: `urn:keyslot:error:${code}` });
  expect(response.status).toBe(status);
});

test.each([() => mock.rpcUrl, () => mock.walletsUrl])(
  'a body that is too large is refused though its sender keeps writing, at either address',
  async (url) => {
    const head = ['POST /v1/wallets HTTP/1.1', 'content-type: application/json', 'authorization: Bearer any'];
    const next = 'GET /v1/openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const port = Number(new URL(url()).port);
    for (const isChunked of [false, true])
      expect(await upload({ port, head, next, isChunked })).toEqual([413, 200]);
  },
);

test('JSON lines have the name by which they are accepted', async () => {
  const response = await post('/batch', { count: 2 }, { Accept: 'application/x-ndjson' });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
});

test('the ledger, the wallets and their document are at one address', async () => {
  const wallet = await fetch(`${mock.rpcUrl}/v1/wallets`, {
    method: 'POST',
    headers: TOKEN,
    body: '{"custody":"managed"}',
  });
  expect(await wallet.json()).toMatchObject({ custody: 'managed', wallet_id: expect.any(String) });
  for (const url of [mock.rpcUrl, mock.walletsUrl]) {
    const document = await fetch(`${url}/v1/openapi.json`);
    expect(await document.json()).toMatchObject({ info: { title: 'Keyslot wallet service' } });
    expect((await fetch(`${url}/account/v1/openapi.json`)).status).toBe(200);
  }
});
