import { type HttpRequest, type HttpResponse, sendBody } from './respond.ts';

const DEFAULT_HEADERS = 'content-type, solana-client, x-api-key';

/** Answers a CORS preflight (Fetch standard, CORS protocol): any headers, for a day. It needs no key. */
export function sendPreflight(request: HttpRequest, response: HttpResponse): void {
  sendBody(response, 200, '', {
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? DEFAULT_HEADERS,
    'access-control-max-age': '86400',
  });
}
