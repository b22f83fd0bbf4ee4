import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MEDIA_TYPES, OTHER_MEDIA_TYPES, type StreamAnswer } from '../../../runtime/rest-operation.ts';
import { toServiceError } from '../../core/service-error.ts';
import { toProblem } from '../http/problem.ts';
import { markBroken } from '../http/request-tracker.ts';
import { acceptedType } from './read-request.ts';

const CSV_HEADERS = {
  'content-type': 'text/csv; charset=utf-8; header=present',
  'content-disposition': 'attachment; filename="wallets.csv"',
} as const;

/**
 * Sends a stream as fast as it is read: the next chunk is requested when the one before has left the process, or the connection is closed,
 * and never sooner, because its memory is released then. A failure before the first chunk rejects and nothing is sent; a later failure
 * breaks the connection off, so that no client mistakes a part for the whole. It counts as a failure of the server, unless the client
 * itself destroyed what was to be sent.
 */
export async function sendStream(
  response: ServerResponse,
  status: number,
  { form, count, chunks }: StreamAnswer,
): Promise<void> {
  let chunk = await chunks.next();
  const isGone = once(response, 'close').then(() => false);
  try {
    if (response.destroyed) return;
    response.writeHead(status, { ...headersOf(form, response), 'x-wallet-count': String(count) });
    for (; chunk.done !== true; chunk = await chunks.next()) {
      if (!(await write(response, chunk.value.bytes, isGone))) return;
    }
    response.end();
  } catch (error) {
    if (toProblem(toServiceError(error), '').status >= 500) markBroken(response);
    response.destroy();
    throw error;
  } finally {
    await chunks.return();
  }
}

function headersOf(form: StreamAnswer['form'], { req }: ServerResponse): Readonly<Record<string, string>> {
  if (form === 'csv') return CSV_HEADERS;
  return { 'content-type': jsonLinesType(req) };
}

/** Returns the media type under which a request accepts JSON lines. */
export function jsonLinesType({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const names = [MEDIA_TYPES.jsonl, OTHER_MEDIA_TYPES.jsonl].filter((name) => name !== undefined);
  return acceptedType(headers, names) ?? MEDIA_TYPES.jsonl;
}

/** True if the bytes have left. */
function write(response: ServerResponse, bytes: Uint8Array, isGone: Promise<boolean>): Promise<boolean> {
  const hasLeft = new Promise<boolean>((resolve) => {
    response.write(bytes, (error) => resolve(error === null || error === undefined));
  });
  return Promise.race([hasLeft, isGone]);
}
