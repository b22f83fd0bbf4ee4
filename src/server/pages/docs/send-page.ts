import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../../../core/service-error.ts';
import type { HeaderMap } from '../../http/respond.ts';

/** A page in the coding that its headers name. */
type SentPage = { readonly status?: number; readonly body: Buffer; readonly headers: HeaderMap };

/**
 * Answers GET and HEAD with a page that was made for this response.
 *
 * @throws ServiceError readOnlyPath, for other methods.
 */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, body, headers }: SentPage,
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(body.length),
  });
  response.end(body);
}

/** Returns the best coding that an Accept-Encoding header accepts, of those that assets are kept in; brotli only if it is named. */
export function acceptedCoding(header: string | string[] | undefined): 'br' | 'gzip' | 'identity' {
  if ((readCodings(header).get('br') ?? 0) > 0) return 'br';
  return acceptsGzip(header) ? 'gzip' : 'identity';
}

/** True if an Accept-Encoding header accepts gzip (RFC 9110, section 12.5.3); by a wildcard too, not with a weight of 0. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = readCodings(header);
  return (codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? 0) > 0;
}

function readCodings(header: string | string[] | undefined): ReadonlyMap<string, number> {
  return new Map(
    String(header ?? '')
      .split(',')
      .map(readCoding),
  );
}

function readCoding(text: string): readonly [string, number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=/, '');
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
