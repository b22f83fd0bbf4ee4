import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../../base/service-error.ts';
import type { HeaderMap } from '../http/respond.ts';

/**
 * Answers GET and HEAD with a page that was made for this response.
 *
 * @throws ServiceError readOnlyPath, for other methods.
 */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  { html, headers }: { readonly html: string; readonly headers: HeaderMap },
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(html)),
  });
  response.end(html);
}
