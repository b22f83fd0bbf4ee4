import type { IncomingMessage } from 'node:http';

/** The API key that came with a request: query parameter `apikey`, or header `X-Api-Key`; the former goes first. */
export function presentedKey({
  url = '',
  headers,
}: Pick<IncomingMessage, 'url' | 'headers'>): string | undefined {
  const query = url.indexOf('?');
  const fromQuery = query < 0 ? null : new URLSearchParams(url.slice(query + 1)).get('apikey');
  const fromHeader = headers['x-api-key'];
  const presented = fromQuery || (typeof fromHeader === 'string' ? fromHeader : '');
  return presented === '' ? undefined : presented;
}
