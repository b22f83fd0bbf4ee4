import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { command, createToken } from '../support/wallet-account.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { inEachWay, UPLOAD_BYTES, uploadEachWay } from './upload.ts';

const NEXT = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const JSON_TYPE = 'content-type: application/json';
const SCOPES = ['account:read', 'wallets:create', 'wallets:read'];

let node: ScriptedNode;
let keyslot: RunningKeyslot;
let [token, limitedToken] = ['', ''];

beforeAll(async () => {
  node = await startScriptedNode();
  keyslot = await startKeyslot({
    env: { KEYSLOT_UPSTREAM_URL: node.url, KEYSLOT_KEY_THREADS: '1', KEYSLOT_BODY_TIMEOUT_MS: '60000' },
  });
  const tokenOf = async (account: string): Promise<string> =>
    (await createToken(keyslot.dataDir, account, { scopes: SCOPES })).token;
  [token, limitedToken] = [await tokenOf('acme'), await tokenOf('limited')];
  await command(keyslot.dataDir, ['wallet-limit', 'limited', '--per-minute', '1']);
});

/** Whatever it is answered, the limit of a minute is used up then. */
beforeEach(async () => {
  const headers = { authorization: `Bearer ${limitedToken}` };
  await (await fetch(`${keyslot.baseUrl}/v1/wallets`, { method: 'POST', headers })).text();
});

afterAll(async () => {
  await keyslot?.stop();
  await node?.close();
});

const port = (): number => Number(new URL(keyslot.baseUrl).port);
const bearer = (value = token): string => `authorization: Bearer ${value}`;
const rpcPath = (): string => keyslot.rpcUrl.slice(keyslot.baseUrl.length);

type Door = readonly [status: number, what: string, head: () => readonly string[]];

const DOORS: readonly Door[] = [
  [413, 'a body that is too large for JSON-RPC', () => [`POST ${rpcPath()} HTTP/1.1`, JSON_TYPE]],
  [415, 'another type for JSON-RPC', () => [`POST ${rpcPath()} HTTP/1.1`]],
  [401, 'JSON-RPC without a key', () => [`POST ${rpcPath().split('?')[0]} HTTP/1.1`, JSON_TYPE]],
  [405, 'another method for JSON-RPC', () => [`PUT ${rpcPath()} HTTP/1.1`, JSON_TYPE]],
  [200, 'a preflight of JSON-RPC', () => [`OPTIONS ${rpcPath()} HTTP/1.1`]],
  [404, 'a path that is not served', () => ['POST /nowhere HTTP/1.1', JSON_TYPE]],
  [413, 'a body that is too large for wallets', () => ['POST /v1/wallets HTTP/1.1', JSON_TYPE, bearer()]],
  [415, 'another type for wallets', () => ['POST /v1/wallets HTTP/1.1', 'content-type: a/b', bearer()]],
  [401, 'wallets without a token', () => ['POST /v1/wallets HTTP/1.1', JSON_TYPE]],
  [405, 'another method for wallets', () => ['PUT /v1/wallets HTTP/1.1', JSON_TYPE, bearer()]],
  [404, 'an operation that wallets do not have', () => ['PUT /v1/nothing HTTP/1.1']],
  [429, 'one too many for wallets', () => ['POST /v1/wallets HTTP/1.1', JSON_TYPE, bearer(limitedToken)]],
  [200, 'an operation without a body', () => ['GET /v1/wallets HTTP/1.1', JSON_TYPE, bearer()]],
  [413, 'a password that is too large', () => ['POST /account/v1/password-resets HTTP/1.1', JSON_TYPE]],
  [
    415,
    'another type for an account',
    () => ['POST /account/v1/password-resets HTTP/1.1', 'content-type: a/b'],
  ],
  [401, 'an account without a session', () => ['POST /account/v1/keys HTTP/1.1', JSON_TYPE]],
  [403, 'an account without the scope', () => ['POST /account/v1/keys HTTP/1.1', JSON_TYPE, bearer()]],
  [405, 'another method for an account', () => ['PATCH /account/v1/keys HTTP/1.1', JSON_TYPE, bearer()]],
  [404, 'an operation that accounts do not have', () => ['PUT /account/v1/nothing HTTP/1.1']],
  [200, 'a status with a body', () => ['GET /healthz HTTP/1.1']],
  [405, 'a status that is written to', () => ['POST /readyz HTTP/1.1']],
  [200, 'a document with a body', () => ['GET /openrpc.json HTTP/1.1']],
  [405, 'a document that is written to', () => ['POST /openrpc.json HTTP/1.1']],
  [200, 'a page with a body', () => ['GET /dashboard HTTP/1.1']],
  [405, 'a page that is written to', () => ['POST /dashboard HTTP/1.1']],
];

test.each(DOORS)(
  '%i for %s reaches a client that keeps writing, and so does its next answer',
  async (status, _what, head) => {
    const ways = [{}, { isChunked: true, waits: true }];
    expect(await uploadEachWay({ next: NEXT, port: port(), head: head() }, ways)).toEqual(
      inEachWay(`${status},200`, ways),
    );
  },
);

test.each(DOORS)('%i for %s reaches a client whose request is its last', async (status, _what, head) => {
  const last = [...head(), 'connection: close'];
  const ways = [{ isChunked: true }, { waits: true }];
  expect(await uploadEachWay({ next: NEXT, port: port(), head: last }, ways)).toEqual(
    inEachWay(`${status}`, ways),
  );
});

const TOO_LARGE = DOORS.filter(([status]) => status === 413);

test.each(TOO_LARGE)('%i for %s reaches 48 of 48 clients', async (_status, _what, head) => {
  const rounds = Array.from({ length: 12 }, () => uploadEachWay({ next: NEXT, port: port(), head: head() }));
  expect((await Promise.all(rounds)).flat()).toEqual(rounds.flatMap(() => inEachWay('413,200')));
});

test.each(TOO_LARGE)('%i for %s reaches 12 of 12 pages', async (_status, _what, head) => {
  const [first = '', ...fields] = head();
  const init = {
    method: 'POST',
    headers: fields.map((field) => field.split(': ') as [string, string]),
    duplex: 'half',
  } as const;
  const body = new Uint8Array(UPLOAD_BYTES).fill(0x20);
  const bodies = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0 ? body : new Blob([body]).stream(),
  );
  const url = `${keyslot.baseUrl}${first.split(' ')[1]}`;
  const answers = bodies.map(async (each) => (await fetch(url, { ...init, body: each })).status);
  expect(await Promise.all(answers)).toEqual(answers.map(() => 413));
});

test('a body that is too large is refused behind requests that were read without node:http', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
  const head = [`POST ${rpcPath()} HTTP/1.1`, JSON_TYPE];
  const before = [...head, 'host: x', `content-length: ${call.length}`, '', call].join('\r\n');
  expect(await uploadEachWay({ next: NEXT, port: port(), before, head })).toEqual(inEachWay('200,413,200'));
});
