import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { STREAM_SOURCE } from '../../../generated/stream/sources.ts';
import { serviceError } from '../../base/service-error.ts';
import type { HttpHandler } from '../http/http-server.ts';
import type { HeaderMap } from '../http/respond.ts';
import { type Asset, createAsset } from './asset.ts';
import { sendAsset } from './send-asset.ts';

export type DocsOptions = {
  /** The OpenAPI document of the ledger's methods, as JSON text. Asked for once, when the page is first opened. */
  readonly readLedgerDocument: () => string;
};

/** The page runs our scripts and styles only, and asks this server only. The viewer draws its icons from data: addresses. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS: HeaderMap = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const JSON_DOCUMENT = 'application/json; charset=utf-8';

const PROTO = 'text/plain; charset=utf-8';

const WALLET_DOCUMENT = new URL('../../../generated/wallets/openapi.json', import.meta.url);

/**
 * The reference page: `/docs`, and below it the viewer, our own script and style, and the documents that it shows; and the wallet
 * document at `/v1/openapi.json` (interface.md, section 9), and the .proto of the stream service at `/stream.proto`. Everything comes from this server; no path of a request is ever looked up
 * on the disk. No key is part of it.
 */
export function createDocs({ readLedgerDocument }: DocsOptions): ReadonlyMap<string, HttpHandler> {
  const walletDocument = serving(JSON_DOCUMENT, () => readFile(WALLET_DOCUMENT));
  return new Map<string, HttpHandler>([
    ['/docs', serving(HTML, () => readOwn('page.html'), PAGE_HEADERS)],
    ['/docs/', redirectToPage],
    ['/docs/page.js', serving(SCRIPT, () => readOwn('page.js'))],
    ['/docs/page.css', serving(STYLE, () => readOwn('page.css'))],
    ['/docs/viewer.js', serving(SCRIPT, () => readViewer('swagger-ui-bundle.js'))],
    ['/docs/viewer.css', serving(STYLE, () => readViewer('swagger-ui.css'))],
    ['/docs/ledger.json', serving(JSON_DOCUMENT, async () => Buffer.from(readLedgerDocument()))],
    ['/docs/wallets.json', walletDocument],
    ['/v1/openapi.json', walletDocument],
    ['/stream.proto', serving(PROTO, async () => Buffer.from(STREAM_SOURCE))],
  ]);
}

/** Reads and compresses a document when it is first asked for, and keeps it. A failure is not kept. */
function serving(type: string, read: () => Promise<Buffer>, headers: HeaderMap = {}): HttpHandler {
  let asset: Promise<Asset> | undefined;
  return async (request, response) => {
    asset ??= read().then((body) => createAsset(type, body));
    asset.catch(() => {
      asset = undefined;
    });
    sendAsset(await asset, request, response, headers);
  };
}

/** The addresses in the page are relative to `/docs`. */
const redirectToPage: HttpHandler = async (request, response) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
  response.writeHead(308, { location: '../docs', 'content-length': '0' }).end();
};

function readOwn(name: string): Promise<Buffer> {
  return readFile(new URL(`page/${name}`, import.meta.url));
}

function readViewer(name: string): Promise<Buffer> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return readFile(join(folder, name));
}
