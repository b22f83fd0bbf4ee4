import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../generated/account/operations.ts';
import { METHODS } from '../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../generated/ledger/subscriptions.ts';
import { TOPICS } from '../../generated/stream/topics.ts';
import walletDocument from '../../generated/wallets/openapi.json' with { type: 'json' };
import { OPERATIONS as WALLET_OPERATIONS } from '../../generated/wallets/operations.ts';
import { acceptsGzip } from '../../src/server/pages/docs/send-page.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({
    nodeUrls: [node.url],
    documented: [
      { rpcPath: '/solana-localnet', label: 'solana, localnet' },
      { rpcPath: '/solana-mainnet', label: 'solana, "main" <net>' },
    ],
  });
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

type Raw = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: Buffer };

/** A request as it is written here: fetch would tidy the path and unpack the answer. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> =>
  new Promise((resolve, reject) => {
    request(`${gateway.baseUrl}/`, { path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    })
      .once('error', reject)
      .end();
  });

const DOCUMENTS = [
  ['/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/account/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/stream.proto', 'text/plain; charset=utf-8'],
] as const;

/** A page for each of these, by its path below /docs. */
const CALLS = [
  ...Object.keys({ ...METHODS, ...SUBSCRIPTIONS }).map((name) => `ledger/${name}`),
  ...Object.keys(WALLET_OPERATIONS).map((name) => `wallets/${name}`),
  ...Object.keys(ACCOUNT_OPERATIONS).map((name) => `account/${name}`),
  ...Object.keys(TOPICS).map((name) => `streams/${name}`),
];
const PAGES = [
  '/docs',
  ...['ledger', 'wallets', 'account', 'streams', 'errors', ...CALLS].map((name) => `/docs/${name}`),
];

describe('the reference', () => {
  it('has a page for every method, subscription, operation and topic, and for nothing else', async () => {
    const navigation = (await ask('/docs')).body.toString();
    const listed = [...navigation.matchAll(/href="docs\/(\w+\/[^"]+)" data-words/g)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...CALLS].sort());
    for (const name of CALLS) {
      const { status, body } = await ask(`/docs/${name}`);
      const [, title] = /<h1>([^<]*)<\/h1>/.exec(body.toString()) ?? [];
      expect([name, status, title]).toEqual([name, 200, name.split('/')[1]]);
    }
  });

  it('leads only to pages, parts and files that are served', async () => {
    const served = new Map<string, string>();
    const read = async (path: string): Promise<string> => {
      const known = served.get(path);
      if (known !== undefined) return known;
      const { status, body } = await ask(path);
      expect([path, status]).toEqual([path, 200]);
      served.set(path, body.toString());
      return body.toString();
    };
    for (const page of PAGES) {
      for (const [, address = ''] of (await read(page)).matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(address, `${gateway.baseUrl}${page}`);
        expect([page, address, origin]).toEqual([page, address, gateway.baseUrl]);
        const target = await read(pathname);
        if (hash !== '')
          expect([page, address, target.includes(`id="${hash.slice(1)}"`)]).toEqual([page, address, true]);
      }
    }
  });

  it('may run only what carries the nonce of the response, and calls this server alone', async () => {
    const pages = [await ask('/docs/ledger/getSlot'), await ask('/docs/ledger/getSlot')];
    const nonces = pages.map(({ headers, body }) => {
      const policy = String(headers['content-security-policy']);
      const [, nonce = ''] = /'nonce-([\w+/]{24})'/.exec(policy) ?? [];
      expect(policy).toBe(
        `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'nonce-${nonce}'; img-src 'self' data:; ` +
          `connect-src 'self' ${gateway.baseUrl.replace('http', 'ws')}; object-src 'none'; base-uri 'none'; form-action 'none'; ` +
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      const text = body.toString();
      const loading = text.match(/<(script|style|link rel="(stylesheet|modulepreload)")[^>]*>/g) ?? [];
      expect(loading.length).toBeGreaterThan(2);
      expect(loading.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
      expect(text).not.toMatch(/ on\w+="| style="|KEYSLOT_NONCE|<!--(navigation|page)/);
      expect(text).not.toContain(KEY);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
    expect(pages[0]?.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
  });

  it('knows of the request only if it carries the cookie of a session', async () => {
    const served = async (headers: Record<string, string>): Promise<unknown> => {
      const { body } = await ask('/docs/ledger/getSlot?"><b>', headers);
      const [, text = ''] = /name="keyslot-served" content="([^"]*)"/.exec(body.toString()) ?? [];
      return JSON.parse(text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code)));
    };
    expect(await served({})).toEqual({
      networks: [
        { rpcPath: '/solana-localnet', label: 'solana, localnet' },
        { rpcPath: '/solana-mainnet', label: 'solana, "main" <net>' },
      ],
      isSignedIn: false,
    });
    expect(await served({ cookie: 'keyslot_session=x' })).toMatchObject({ isSignedIn: true });
  });

  it('compressed is the same page', async () => {
    const plain = await ask('/docs/ledger/getBlock');
    const packed = await ask('/docs/ledger/getBlock', { 'accept-encoding': 'gzip, deflate, br' });
    expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual(['gzip', 'accept-encoding']);
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    const withoutNonce = (body: Buffer): string => body.toString().replaceAll(/nonce="[^"]*"/g, '');
    expect(withoutNonce(gunzipSync(packed.body))).toBe(withoutNonce(plain.body));
  });

  it('is for reading', async () => {
    for (const path of ['/docs', '/docs/', '/docs/ledger/getSlot']) {
      const { status, headers } = await ask(path, {}, 'POST');
      expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD']);
      const head = await ask(path, {}, 'HEAD');
      expect(head.body.length).toBe(0);
    }
  });

  it.each([
    ['/docs/', '/below/docs'],
    ['/docs?wallets', '/below/docs/wallets'],
    ['/docs?account', '/below/docs/account'],
    ['/docs/wallets.json', '/below/v1/openapi.json'],
    ['/docs/account.json', '/below/account/v1/openapi.json'],
  ])('the earlier address %s leads to %s, below a path of a proxy', async (path, target) => {
    const { status, headers } = await ask(path);
    const { pathname } = new URL(String(headers.location), `https://example.com/below${path}`);
    expect([status, pathname]).toEqual([308, target]);
  });

  it.each([
    ...['/docs/..', '/docs/../package.json', '/docs/../../package.json', '/docs/%2e%2e/package.json'],
    ...['/docs/..%2fpackage.json', '/docs/..\\package.json', '/docs//etc/passwd', '/docs/index'],
    ...[
      '/docs/ledger/getslot',
      '/docs/ledger/',
      '/docs/ledger/__proto__',
      '/docs/constructor',
      '/docs/ledger.html',
    ],
  ])('has no other page, and looks nothing up on the disk: %s', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body.toString()).toContain('<h1>Page not found</h1>');
  });
});

describe('a document', () => {
  it.each(DOCUMENTS)(
    '%s: its type, sniffed by nobody, checked by its ETag at each use',
    async (path, type) => {
      const { status, headers, body } = await ask(path);
      expect([status, headers['content-type'], headers['content-length']]).toEqual([
        200,
        type,
        String(body.length),
      ]);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        etag: expect.stringMatching(/^"[\w-]{22}"$/),
      });
    },
  );

  it.each(DOCUMENTS)('%s compressed is the same, under an ETag of its own', async (path) => {
    const plain = await ask(path);
    const packed = await ask(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect([packed.headers['content-encoding'], packed.headers['content-length']]).toEqual([
      'gzip',
      String(packed.body.length),
    ]);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
  });

  it('is not sent again to a client that has it: 304 by the ETag of the form that would be sent', async () => {
    const { headers } = await ask('/v1/openapi.json');
    const etag = String(headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('/v1/openapi.json', { 'if-none-match': known });
      expect([known, again.status, again.body.length, again.headers.etag]).toEqual([known, 304, 0, etag]);
    }
    const packed = await ask('/v1/openapi.json', { 'if-none-match': etag, 'accept-encoding': 'gzip' });
    expect([packed.status, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
  });

  it.each(DOCUMENTS)('%s answers HEAD as GET, without a body', async (path) => {
    const got = await ask(path);
    const head = await ask(path, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect({ ...head.headers, date: '' }).toEqual({ ...got.headers, date: '' });
  });

  it('of the wallets is whole, and leads back to its server', async () => {
    const served = JSON.parse((await ask('/v1/openapi.json')).body.toString());
    expect(served).toEqual(walletDocument);
    expect(new URL(served.servers[0].url, 'https://example.com/below/v1/openapi.json').href).toBe(
      'https://example.com/below/',
    );
  });
});

describe('a client takes gzip', () => {
  it.each([
    ['gzip', true],
    ['br;q=1.0, GZIP ; q=0.5', true],
    ['x-gzip', true],
    ['*', true],
    ['gzip;q=0', false],
    ['gzip;q=0.000, *', false],
    ['*;q=0', false],
    ['gzip;q=much', false],
    ['br, deflate', false],
    ['', false],
    [undefined, false],
  ])('by "%s": %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});
