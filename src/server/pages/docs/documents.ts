import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { STREAM_SOURCE } from '../../../../generated/stream/sources.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { HttpHandler } from '../../http/http-server.ts';
import { acceptsGzip } from './send-page.ts';

const JSON_DOCUMENT = 'application/json; charset=utf-8';

const PROTO = 'text/plain; charset=utf-8';

const WALLET_DOCUMENT = new URL('../../../../generated/wallets/openapi.json', import.meta.url);
const ACCOUNT_DOCUMENT = new URL('../../../../generated/account/openapi.json', import.meta.url);

/**
 * The documents of the interface for programs: the wallet service at `/v1/openapi.json` (interface.md, section 9), the account service at
 * `/account/v1/openapi.json`, and the .proto of the stream service at `/stream.proto`.
 */
export function createDocuments(): ReadonlyMap<string, HttpHandler> {
  return new Map<string, HttpHandler>([
    ['/v1/openapi.json', documentHandler(JSON_DOCUMENT, () => readFile(WALLET_DOCUMENT))],
    ['/account/v1/openapi.json', documentHandler(JSON_DOCUMENT, () => readFile(ACCOUNT_DOCUMENT))],
    ['/stream.proto', documentHandler(PROTO, async () => Buffer.from(STREAM_SOURCE))],
  ]);
}

/** Reads and compresses a document on the first request, and keeps it. A failure is not kept. */
function documentHandler(type: string, read: () => Promise<Buffer>): HttpHandler {
  let asset: Promise<Asset> | undefined;
  return async (request, response) => {
    asset ??= read().then((body) => createAsset(type, body));
    asset.catch(() => {
      asset = undefined;
    });
    sendAsset(await asset, request, response);
  };
}

/** Browsers cache the document and revalidate it by its ETag each time: after an update nobody sees an old page. */
const CACHE_CONTROL = 'no-cache';

/**
 * Answers GET and HEAD with a document, compressed if the client accepts that, or with 304 if the client has it already.
 *
 * @throws ServiceError readOnlyPath, for other methods.
 */
function sendAsset(asset: Asset, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
  const isCompressed = acceptsGzip(request.headers['accept-encoding']);
  const { body, etag } = isCompressed ? asset.gzip : asset.plain;
  response.appendHeader('vary', 'accept-encoding');
  const common = { etag, 'cache-control': CACHE_CONTROL };
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  response.writeHead(200, {
    ...common,
    'content-type': asset.type,
    'content-length': String(body.length),
    'x-content-type-options': 'nosniff',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  });
  response.end(body);
}

/** True if an If-None-Match header names the form that would be sent (RFC 9110, section 13.1.2: a weak comparison). */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** A document that does not change while the server runs, plain and compressed. */
type Asset = {
  readonly type: string;
  readonly plain: Representation;
  readonly gzip: Representation;
};

/** One form of a document; each has its own strong ETag (RFC 9110, section 8.8.3.3). */
type Representation = { readonly body: Buffer; readonly etag: string };

const compress = promisify(gzip);
const LEVEL = 9;

/** Prepares a document for sending. */
async function createAsset(type: string, body: Buffer): Promise<Asset> {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const compressed = await compress(body, { level: LEVEL });
  return {
    type,
    plain: { body, etag: `"${digest}"` },
    gzip: { body: compressed, etag: `"${digest}-gzip"` },
  };
}
