import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import walletDocument from '../../generated/wallets/openapi.json' with { type: 'json' };
import { parseJson } from '../../src/core/rpc/json.ts';
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
      { rpcPath: '/solana-mainnet', label: 'solana, mainnet' },
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

const ASSETS = [
  ['/docs/page.js', 'text/javascript; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
  ['/docs/viewer.js', 'text/javascript; charset=utf-8'],
  ['/docs/viewer.css', 'text/css; charset=utf-8'],
  ['/docs/ledger.json', 'application/json; charset=utf-8'],
  ['/docs/wallets.json', 'application/json; charset=utf-8'],
  ['/v1/openapi.json', 'application/json; charset=utf-8'],
] as const;

describe('the reference page', () => {
  it('may load from this server only, and be framed by nobody', async () => {
    const { headers } = await ask('/docs');
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'nonce-[^']{24}'; style-src 'nonce-[^']{24}'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    });
  });

  it('names only files that are served', async () => {
    const page = (await ask('/docs')).body.toString();
    const named = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
      ([, address]) => new URL(address ?? '', `${gateway.baseUrl}/docs`),
    );
    expect(named.length).toBeGreaterThan(4);
    for (const { origin, pathname } of named) {
      expect(origin).toBe(gateway.baseUrl);
      expect([pathname, (await ask(pathname)).status]).toEqual([pathname, 200]);
    }
  });

  it.each(ASSETS)('%s: its type, sniffed by nobody, checked by its ETag at each use', async (path, type) => {
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
    expect(body.toString()).not.toContain(KEY);
  });

  it.each(ASSETS)('%s compressed is the same, under an ETag of its own', async (path) => {
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
    const { headers } = await ask('/docs/viewer.js');
    const etag = String(headers.etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('/docs/viewer.js', { 'if-none-match': known });
      expect([known, again.status, again.body.length, again.headers.etag]).toEqual([known, 304, 0, etag]);
    }
    const packed = await ask('/docs/viewer.js', { 'if-none-match': etag, 'accept-encoding': 'gzip' });
    expect([packed.status, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
  });

  it.each(ASSETS)('%s answers HEAD as GET, without a body', async (path) => {
    const got = await ask(path);
    const head = await ask(path, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect({ ...head.headers, date: '' }).toEqual({ ...got.headers, date: '' });
  });

  it.each(['/docs', '/docs/', '/docs/viewer.js'])('%s is for reading', async (path) => {
    const { status, headers } = await ask(path, {}, 'POST');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('sends /docs/ to /docs, below a path of a proxy too', async () => {
    const { status, headers } = await ask('/docs/');
    expect([status, new URL(String(headers.location), 'https://example.com/below/docs/').pathname]).toEqual([
      308,
      '/below/docs',
    ]);
  });

  it.each([
    ...['/docs/..', '/docs/../package.json', '/docs/../../package.json', '/docs/%2e%2e/package.json'],
    ...['/docs/..%2fpackage.json', '/docs/..\\package.json', '/docs//etc/passwd', '/docs/page.html'],
    ...['/docs/page/page.html', '/docs/viewer.js/', '/docs/viewer.js%00', '/docs/swagger-ui.js', '/Docs'],
  ])('serves nothing else: %s is 404', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(body.toString())).toMatchObject({ error: { code: -32043 } });
  });
});

describe('its document', () => {
  const read = async () => {
    const { body } = await ask('/docs/ledger.json');
    return parseJson(body.toString()) as {
      readonly servers: readonly { readonly url: string; readonly description: string }[];
      readonly paths: Readonly<Record<string, { readonly post: { readonly requestBody: unknown } }>>;
    };
  };

  it('names every network by an address relative to it', async () => {
    const { servers } = await read();
    const document = 'https://example.com/below/docs/ledger.json';
    expect(servers.map(({ url, description }) => [new URL(url, document).href, description])).toEqual([
      ['https://example.com/below/solana-localnet', 'solana, localnet'],
      ['https://example.com/below/solana-mainnet', 'solana, mainnet'],
    ]);
  });

  it('loses no digit of an example', async () => {
    const { paths } = await read();
    expect(paths['/#getBalance']?.post.requestBody).toMatchObject({
      content: {
        'application/json': {
          examples: {
            'a-slot-the-ledger-has-not-reached': {
              value: { params: [expect.any(String), { minContextSlot: 2n ** 63n - 1n }] },
            },
          },
        },
      },
    });
  });
});

describe('the wallet document', () => {
  it.each(['/docs/wallets.json', '/v1/openapi.json'])(
    '%s is whole, and leads back to its server',
    async (path) => {
      const served = JSON.parse((await ask(path)).body.toString());
      expect(served).toEqual(walletDocument);
      const from = new URL(path.slice(1), 'https://example.com/below/');
      expect(new URL(served.servers[0].url, from).href).toBe('https://example.com/below/');
    },
  );
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
