import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { WALLET_CONTRACT } from '../../../generated/contract/wallets/contract.ts';
import document from '../../../generated/wallets/openapi.json' with { type: 'json' };
import { runWalletContract, type WalletRun } from '../../../src/devkit/contract/wallets/run-contract.ts';

const { cases } = WALLET_CONTRACT.createWallet;
const [create] = cases;
const caseOf = (name: string): RestCase => {
  const found = cases.find((item) => item.name === name);
  if (!found) throw new Error(`there is no case ${name}`);
  return found;
};
const GOOD =
  document.paths['/v1/wallets'].post.responses['201'].content['application/json'].examples.client.value;
const GOOD_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-request-id': 'req_1',
  ratelimit: 'r',
  'ratelimit-policy': 'p',
};

async function withServer<T>(answer: RequestListener, work: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const answering =
  (status: number, headers: Readonly<Record<string, string>>, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));

const runOn = (baseUrl: string, run: Partial<WalletRun> = {}): WalletRun => ({
  baseUrl,
  value: async () => 'a value',
  ...run,
});

async function reasons(answer: RequestListener, item = create): Promise<string> {
  const [result] = await withServer(answer, (url) => runWalletContract(runOn(url), item ? [item] : []));
  return `${result?.outcome}: ${result?.reasons.join('; ')}`;
}

test('an answer as the documents show it holds', async () => {
  expect(await reasons(answering(201, GOOD_HEADERS, GOOD))).toBe('held: ');
});

test.each([
  ['another status', 200, GOOD_HEADERS, GOOD, /status 200 instead of 201/],
  ['another type', 201, { ...GOOD_HEADERS, 'content-type': 'text/plain' }, GOOD, /content type text\/plain/],
  [
    'an answer that may be kept',
    201,
    { ...GOOD_HEADERS, 'cache-control': 'max-age=1' },
    GOOD,
    /may be cached/,
  ],
  ['an invalid secret key', 201, GOOD_HEADERS, { ...GOOD, secret_key: 'x' }, /x-base58/],
  ['a member that the documents lack', 201, GOOD_HEADERS, { ...GOOD, state: 'active' }, /state/],
] as const)('%s differs', async (_, status, headers, body, message) => {
  expect(await reasons(answering(status, headers, body))).toMatch(message);
});

test('a header that is missing differs', async () => {
  const { ratelimit: _, ...headers } = GOOD_HEADERS;
  expect(await reasons(answering(201, headers, GOOD))).toBe('differed: the header RateLimit is missing');
});

test('a problem of another code or another place differs', async () => {
  const problem = {
    type: 'urn:keyslot:error:body_invalid',
    title: 'Body invalid',
    status: 400,
    detail: 'See errors.',
    code: 'body_invalid',
    request_id: 'req_1',
    errors: [{ pointer: '/label', detail: 'is wrong' }],
  };
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': 'req_1' };
  const unknown = caseOf('bodyInvalid: an unknown member');
  expect(await reasons(answering(400, headers, problem), unknown)).toMatch(
    /names \/label instead of \/unheard_of/,
  );
  const other = { ...problem, code: 'mnemonic_invalid' };
  expect(await reasons(answering(400, headers, other), unknown)).toMatch(/code mnemonic_invalid/);
  expect(await reasons(answering(400, headers, problem), caseOf('/label of 100 characters'))).toMatch(
    /the value at \/label was refused/,
  );
});

test('a case whose value or state the run has not is left out, and says so', async () => {
  const results = await withServer(answering(201, GOOD_HEADERS, GOOD), (url) =>
    runWalletContract(runOn(url, { value: async (name) => (name === 'token' ? 'x' : undefined) }), [
      caseOf('tokenRevoked'),
      caseOf('signerUnavailable'),
    ]),
  );
  expect(results.map(({ outcome, reasons: [reason] }) => [outcome, reason])).toEqual([
    ['left-out', 'the run has no $revoked_token'],
    ['left-out', 'the run cannot provoke signer_down'],
  ]);
});

test('a state is entered ahead of the request and left after it', async () => {
  const seen: string[] = [];
  await withServer(
    (_, response) => {
      seen.push('asked');
      response.end();
    },
    (url) =>
      runWalletContract(
        runOn(url, {
          enter: async (condition) => {
            seen.push(condition);
            return { [Symbol.asyncDispose]: async () => void seen.push('left') };
          },
        }),
        [caseOf('signerUnavailable')],
      ),
  );
  expect(seen).toEqual(['signer_down', 'asked', 'left']);
});

test('the request ahead has the same key', async () => {
  const keys: unknown[] = [];
  let next = 0;
  await withServer(
    ({ headers }, response) => {
      keys.push(headers['idempotency-key']);
      response.end();
    },
    (url) =>
      runWalletContract(runOn(url, { value: async (name) => `${name} ${next++}` }), [
        caseOf('idempotencyKeyReused'),
      ]),
  );
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

test('a state can send the request itself', async () => {
  const send = async () => ({ status: 408, headers: new Headers(), text: '' });
  const [result] = await runWalletContract(
    runOn('http://127.0.0.1:1', {
      enter: async () => ({ send, [Symbol.asyncDispose]: async () => undefined }),
    }),
    [caseOf('requestTimeout')],
  );
  expect(result?.answer?.status).toBe(408);
});

test('of a success that only shows that a value is taken, the body is not waited for', async () => {
  const answer: RequestListener = (_, response) => void response.writeHead(201, GOOD_HEADERS).write('{');
  expect(await reasons(answer, caseOf('/label of 100 characters'))).toBe('held: ');
});

test('what comes in the place of a problem is not quoted: it may hold secrets', async () => {
  const item = caseOf('bodyInvalid: no JSON');
  const answer: RequestListener = (_, response) =>
    void response.writeHead(200).end('{"secret_key":"s3cret"}\n{}');
  expect(await reasons(answer, item)).not.toContain('s3cret');
});

test('a server that cannot be reached differs', async () => {
  const [result] = await runWalletContract(runOn('http://127.0.0.1:1'), [caseOf('tokenMissing')]);
  expect(result?.outcome).toBe('differed');
});
