import type { IncomingMessage } from 'node:http';

/** Returns the API key of a request: query parameter `apikey`, or header `X-Api-Key`; the query parameter wins. */
export function presentedKey({
  url = '',
  headers,
}: Pick<IncomingMessage, 'url' | 'headers'>): string | undefined {
  const query = url.indexOf('?');
  const fromQuery = query < 0 ? null : readApikey(url.slice(query + 1));
  const fromHeader = headers['x-api-key'];
  const presented = fromQuery || (typeof fromHeader === 'string' ? fromHeader : '');
  return presented === '' ? undefined : presented;
}

const ONLY_PARAMETER = /^apikey=(\w*)$/;

/** A query with only a plain key, which is what clients send, needs no parser. */
function readApikey(query: string): string | null {
  return ONLY_PARAMETER.exec(query)?.[1] ?? new URLSearchParams(query).get('apikey');
}
