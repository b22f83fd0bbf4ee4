import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../../base/service-error.ts';
import type { HeaderMap } from '../http/respond.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import type { Asset } from './asset.ts';

/** Browsers cache the document and revalidate it by its ETag each time: after an update nobody sees an old page. */
const CACHE_CONTROL = 'no-cache';

/**
 * Answers GET and HEAD with a document, compressed if the client accepts that, or with 304 if the client has it already.
 *
 * @throws ServiceError readOnlyPath, for other methods.
 */
export function sendAsset(
  asset: Asset,
  request: IncomingMessage,
  response: ServerResponse,
  headers: HeaderMap = {},
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
  const isCompressed = acceptsGzip(request.headers['accept-encoding']);
  const { body, etag } = isCompressed ? asset.gzip : asset.plain;
  response.appendHeader('vary', 'accept-encoding');
  const common = { etag, 'cache-control': CACHE_CONTROL, ...headers };
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
