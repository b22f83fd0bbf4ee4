import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeBuiltPage } from '../../src/server/pages/dashboard/built-page.ts';
import { readBuild } from '../../src/server/pages/dashboard/dashboard-routes.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, RPC_PATH, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], corsOrigins: ['*'] });
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

type Raw = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
};

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

const OWN_SITE = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const nonceOf = ({ headers }: Raw): string =>
  /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';

/** The assets that a page names, as the browser would ask for them. */
const assetsOf = (path: string, { body }: Raw): readonly string[] =>
  [...body.toString().matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g)].map(
    ([, address = '']) => new URL(address, `${gateway.baseUrl}${path}`).pathname,
  );

describe.each(['/dashboard', '/dashboard/keys', '/dashboard/a/b/c', '/dashboard/'])('the page %s', (path) => {
  it('may run only what carries its nonce, call only this server, and is framed and kept by nobody', async () => {
    const page = await ask(path);
    const host = new URL(gateway.baseUrl).host;
    expect(page.headers).toMatchObject({
      ...OWN_SITE,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        `default-src 'none'; script-src 'nonce-${nonceOf(page)}' 'strict-dynamic'; style-src 'nonce-${nonceOf(page)}'; ` +
        `img-src 'self' data:; connect-src 'self' ws://${host}; object-src 'none'; base-uri 'none'; form-action 'none'; ` +
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    });
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('has another nonce in each response, and it stands on each script and style sheet', async () => {
    const [first, second] = [await ask(path), await ask(path)];
    expect(nonceOf(first)).toMatch(/^[\w+/]{24}$/);
    expect(nonceOf(first)).not.toBe(nonceOf(second));
    const text = first.body.toString();
    const loading = text.match(/<(script|link rel="(stylesheet|modulepreload)")[^>]*>/g) ?? [];
    expect(loading.length).toBeGreaterThan(1);
    expect(loading.filter((tag) => !tag.includes(`nonce="${nonceOf(first)}"`))).toEqual([]);
    expect(text).not.toContain('KEYSLOT_NONCE');
  });

  it('names assets that are served', async () => {
    const named = assetsOf(path, await ask(path));
    expect(named.length).toBeGreaterThan(1);
    for (const asset of named) expect([asset, (await ask(asset)).status]).toEqual([asset, 200]);
  });

  it('is for reading', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers, body } = await ask(path, {}, method);
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'read_only_path' });
    }
    const head = await ask(path, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });
});

describe('an asset', () => {
  it('is kept for a year, and comes in the best coding that the client takes', async () => {
    const [asset = ''] = assetsOf('/dashboard', await ask('/dashboard'));
    const plain = await ask(asset);
    expect(plain.headers).toMatchObject({
      ...OWN_SITE,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await ask(asset, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const best = await ask(asset, { 'accept-encoding': 'gzip, deflate, br' });
    expect(best.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(best.body).equals(plain.body)).toBe(true);
    expect((await ask(asset, { 'accept-encoding': 'br;q=0' })).headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ...['/dashboard/assets/', '/dashboard/assets/../index.html', '/dashboard/assets/../../package.json'],
    ...['/dashboard/assets/%2e%2e/manifest.json', '/dashboard/assets/..%2f..%2fpackage.json'],
    ...[
      '/dashboard/assets/..\\..\\package.json',
      '/dashboard/assets//etc/passwd',
      '/dashboard/assets/x%00.js',
    ],
    ...['/dashboard/assets/__proto__', '/dashboard/assets/constructor', '/dashboard/assets/index.js'],
  ])('that was not built is not found: %s', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'not_found' });
  });

  it.each([
    '/dashboard/../package.json',
    '/dashboard/%2e%2e/%2e%2e/package.json',
    '/dashboard/manifest.json',
  ])('nothing of the disk is looked up for %s: it is the page', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body.toString()).toContain('<div id="root">');
  });
});

describe('the page in its build', () => {
  it('has nothing of the request in it', () => {
    const path = '/dashboard/"><script>alert(1)</script>/x';
    const page = placeBuiltPage('<script src="./assets/a.js" nonce="KEYSLOT_NONCE">', { path, nonce: 'n' });
    expect(page).toBe('<script src="../../../dashboard/assets/a.js" nonce="n">');
  });

  it('that was not built is a problem that names the command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyslot-test-'));
    try {
      await expect(readBuild(pathToFileURL(`${folder}/`))).rejects.toMatchObject({
        code: 'dashboardNotBuilt',
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the bare address', () => {
  it('leads a browser to the dashboard', async () => {
    const { status, headers } = await ask('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([status, new URL(String(headers.location), 'https://example.com/below/').href]).toEqual([
      302,
      'https://example.com/below/dashboard',
    ]);
  });

  it.each([
    ['GET', '*/*'],
    ['GET', 'application/json'],
    ['GET', 'text/html;q=0, */*'],
    ['POST', 'text/html'],
  ])('is not found otherwise: %s with Accept %s', async (method, accept) => {
    const { status, body } = await ask('/', { accept }, method);
    expect(status).toBe(404);
    expect(JSON.parse(body.toString()).error.message).toContain(RPC_PATH);
  });
});
