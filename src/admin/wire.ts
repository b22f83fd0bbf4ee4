import type { Socket } from 'node:net';
import { ERRORS, type ErrorName } from '../../generated/errors.ts';
import { ServiceError, serviceError } from '../base/service-error.ts';

// The protocol of the admin socket: one line of JSON each way, then the connection ends. The answer is `{"result": …}`, or
// `{"error": {"code", "context"}}` with a name of the catalogue.

/** What answers a command. What it gives is printed as JSON; it throws ServiceError. */
export type ServeCommand = (request: unknown) => Promise<unknown>;

/**
 * The first line that comes, without its end; undefined if the connection ends before. Leaves the connection open.
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
        reason: `a line of the admin socket has more than ${maxBytes} bytes`,
      });
    }
    chunks.push(part);
    if (end >= 0) return Buffer.concat(chunks).toString('utf8');
  }
  return undefined;
}

/** The line that answers with an error. */
export function printError({ code, context }: ServiceError): string {
  return `${JSON.stringify({ error: { code, context } })}\n`;
}

/** The result in an answer. @throws the ServiceError in it, or a SyntaxError for what is no answer. */
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
