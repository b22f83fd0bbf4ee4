import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '../../src/store/drizzle.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { echoResult, type Script, sendJson, startScriptedNode } from '../server/scripted-node.ts';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { askForSocket, openSocket } from '../support/socket-client.ts';

const directory = useNewDirectory();

const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const HEADERS = { 'content-type': 'application/json' };

/** Whatever a node may do with what it was sent, quoting it included. */
const NODE_SCRIPTS: readonly Script[] = [
  echoResult('1'),
  (response) => response.destroy(),
  (response, { url, body }) => void response.writeHead(500, { 'x-echo': url }).end(body),
  (response, { url }) => void response.writeHead(200, { 'content-type': `text/${url.length}` }).end(url),
  (response, { url }) => void response.writeHead(302, { location: `http://127.0.0.1${url}` }).end(),
  (response, { body }) => sendJson(response, body),
  (response, { body }) => void response.socket?.end(`HTTP/1.1 ${body}\r\n\r\n`),
];

/**
 * Bodies that hold a secret where its sender should not have put it. A value that an error quotes by design, to the client that
 * sent it (an unknown variant, an id), is not a secret.
 */
function bodiesWith(secret: string): readonly string[] {
  const call = (method: string, params: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  return [
    call(secret, '[]'),
    call('getBalance', `["${secret}"]`),
    call('getSlot', `[{"apikey":"${secret}"}]`),
    call('sendTransaction', `["${secret}"]`),
    call('getSlot', `{"${secret}":1}`),
    `{"apikey":"${secret}",${CALL.slice(1)}`,
    `[${call('getSlot', `[{"x":"${secret}"}]`)},{"${secret}":1}]`,
    `{"jsonrpc":"2.0","${secret}`,
    `"${secret}"`,
  ];
}

type Requested = { readonly url: string; readonly init: RequestInit };

/** Every place where a secret may come in, along with a valid key or as the key. */
function requestsWith(secret: string, { base, key }: { base: string; key: string }): readonly Requested[] {
  const good = `${base}/solana-localnet?apikey=${key}`;
  const post = (url: string, body = CALL, headers: Record<string, string> = {}): Requested => ({
    url,
    init: { method: 'POST', headers: { ...HEADERS, ...headers }, body, redirect: 'manual' },
  });
  return [
    post(`${base}/solana-localnet?apikey=${secret}`),
    post(`${base}/${secret}?apikey=${secret}`),
    post(`${good}&token=${secret}`),
    post(`${base}/solana-localnet`, CALL, { 'x-api-key': secret }),
    post(good, CALL, { authorization: `Bearer ${secret}`, cookie: `key=${secret}`, traceparent: secret }),
    post(good, CALL, { 'content-type': secret }),
    post(good, CALL, {
      referer: `https://x/?apikey=${secret}`,
      'user-agent': secret,
      origin: `https://${secret}`,
    }),
    { url: `${base}/readyz?apikey=${secret}`, init: {} },
    { url: good, init: { method: 'PUT', headers: { 'x-api-key': secret }, body: secret } },
    ...bodiesWith(secret).map((body) => post(good, body)),
  ];
}

/** The answers to a secret in a request for a WebSocket, or sent over one. */
async function socketAnswers(secret: string, { base, key }: Access): Promise<readonly string[]> {
  const path = `${base.replace(/^http/, 'ws')}/solana-localnet`;
  const refused = [
    await askForSocket(`${path}?apikey=${secret}`),
    await askForSocket(`${path}/${secret}?apikey=${secret}`),
    await askForSocket(path, { 'x-api-key': secret }),
    await askForSocket(`${path}?apikey=${key}`, { 'sec-websocket-version': '7', 'user-agent': secret }),
  ];
  const client = await openSocket(`${path}?apikey=${key}&token=${secret}`, { origin: `https://${secret}` });
  for (const body of bodiesWith(secret)) client.send(body);
  await client.call('accountSubscribe', [secret]);
  await client.call('rootSubscribe');
  client.close();
  return [...refused.map(({ body }) => body), ...client.texts];
}

type Access = { readonly base: string; readonly key: string; readonly others: readonly string[] };

async function ready(child: NodeProcess): Promise<Access> {
  const line = await eventually('the server says where it serves', () => {
    if (child.ended() !== undefined) throw new Error(`ended with ${child.ended()}: ${child.stderr()}`);
    return child.stdout().includes('\n') ? child.stdout() : undefined;
  });
  const { base_url, development } = JSON.parse(line) as {
    base_url: string;
    development: { api_key: string; access_token: string; totp_secret: string };
  };
  const { api_key: key, access_token: token, totp_secret: secondFactor } = development;
  return { base: base_url, key, others: [token, secondFactor] };
}

/** The bytes of every file below a directory, but `dev.json`, which is where the secrets are told. */
async function filesBelow(path: string): Promise<readonly (readonly [string, Buffer])[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'dev.json');
  return Promise.all(
    files.map(
      async ({ parentPath, name }) =>
        [join(parentPath, name), await readFile(join(parentPath, name))] as const,
    ),
  );
}

/** Every row of every table of Keyslot, as text. */
async function dumpRows(dataDir: string): Promise<string> {
  const store = await openStore({ dataDir }, pino({ level: 'silent' }));
  try {
    const tables = await store.db.execute<{ name: string }>(
      sql`select table_name as name from information_schema.tables where table_schema = 'keyslot'`,
    );
    const dumps = await Promise.all(
      tables.rows.map(({ name }) => store.db.execute(sql`select t::text from ${sql.identifier(name)} t`)),
    );
    return JSON.stringify([tables.rows, dumps.map(({ rows }) => rows)]);
  } finally {
    await store.close();
  }
}

test('a secret is found in no log line, metric, error, row or file, nor at a node, wherever it came in', async () => {
  const canary = `canary${randomBytes(12).toString('hex')}`;
  const node = await startScriptedNode();
  const child = startNode(['src/main.ts', 'serve', '--json', '--log-level', 'trace'], {
    KEYSLOT_DATA_DIR: directory(),
    KEYSLOT_HTTP_PORT: '0',
    KEYSLOT_GRPC_PORT: '0',
    KEYSLOT_UPSTREAM_URL: node.url,
    KEYSLOT_UPSTREAM_RESPONSE_TIMEOUT_MS: '2000',
  });
  const answers: string[] = [];
  let key = '';
  const others: string[] = [];
  let metrics = '';
  try {
    const access = await ready(child);
    key = access.key;
    others.push(...access.others);
    for (const script of NODE_SCRIPTS) {
      node.play(script);
      const told = requestsWith(canary, access).map(async ({ url, init }) => {
        const response = await fetch(url, init);
        return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
      });
      answers.push(...(await Promise.all(told)));
    }
    answers.push(...(await socketAnswers(canary, access)));
    metrics = await (await fetch(`${access.base}/metrics?apikey=${canary}`)).text();
  } finally {
    await child.stop();
    await node.close();
  }
  expect(child.stderr()).toContain('a ledger node failed');
  expect(metrics).toContain('keyslot_upstream_errors_total{');
  expect(answers.filter((answer) => answer.includes('"error"')).length).toBeGreaterThan(50);

  const heads = node.seen.map(({ url, headers }) => JSON.stringify([url, headers]));
  const places = { log: child.stderr(), metrics, answers: answers.join('\n'), heads: heads.join('\n') };
  for (const secret of [canary, key, ...others, 'node-secret']) {
    for (const [place, text] of Object.entries(places)) {
      if (place === 'heads' && secret === 'node-secret') continue;
      expect([place, text.split('\n').filter((line) => line.includes(secret))]).toEqual([place, []]);
    }
  }
  const files = await filesBelow(directory());
  // The shown part of the key is found in them: what is searched can be read.
  expect(files.filter(([, bytes]) => bytes.includes(key.slice(0, 11)))).not.toEqual([]);
  const rows = await dumpRows(directory());
  expect(rows).toContain('development');
  for (const secret of [canary, key, ...others, 'node-secret']) {
    expect(files.filter(([, bytes]) => bytes.includes(secret)).map(([path]) => path)).toEqual([]);
    expect(rows).not.toContain(secret);
  }
});
