import type { Socket } from 'node:net';
import { ERRORS, type ErrorName } from '../../../generated/errors.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';

// The protocol of the admin socket: one line of JSON each way, then the connection ends. The answer is `{"result": …}`, or
// `{"error": {"code", "context"}}` with a name of the catalogue.

/** Answers a request. The result is sent as JSON; it throws ServiceError. */
export type ServeCommand = (request: unknown) => Promise<unknown>;

/**
 * Reads the first line, without its end; undefined if the connection ends before. Leaves the connection open.
 *
 * @throws ServiceError `invalidCommand` above `maxBytes`.
 */
export async function readLine(socket: Socket, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const end = chunk.indexOf('\n');
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) {
      throw serviceError('invalidCommand', {
        reason: `the request has more than ${maxBytes} bytes`,
      });
    }
    chunks.push(part);
    if (end >= 0) return Buffer.concat(chunks).toString('utf8');
  }
  return undefined;
}

/** Prints an error as the line of an answer. */
export function printError({ code, context }: ServiceError): string {
  return `${JSON.stringify({ error: { code, context } })}\n`;
}

/** Reads the result of an answer. @throws the ServiceError in it, or a SyntaxError for a line that is not an answer. */
export function readAnswer(line: string): unknown {
  const answer = JSON.parse(line) as {
    result?: unknown;
    error?: { code?: unknown; context?: unknown };
  } | null;
  const { code, context } = answer?.error ?? {};
  if (isErrorName(code)) throw new ServiceError(code, typeof context === 'object' ? { ...context } : {});
  if (answer?.result === undefined)
    throw new SyntaxError('the answer has neither a result nor a known error');
  return answer.result;
}

function isErrorName(code: unknown): code is ErrorName {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
