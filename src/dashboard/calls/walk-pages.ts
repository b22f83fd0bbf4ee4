import { patiently } from './patiently.ts';

type Query = { readonly limit: number; readonly cursor?: string };

/** Reads all pages of a list, one after the other, until the signal aborts. */
export async function* walkPages<P extends { readonly next_cursor?: string | undefined }>(
  read: (query: Query, signal: AbortSignal) => Promise<P>,
  signal: AbortSignal,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const query = { limit: 1_000, ...(cursor !== undefined && { cursor }) };
    const page = await patiently(() => read(query, signal), signal);
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
