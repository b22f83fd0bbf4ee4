import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServiceError, serviceError } from '../../service-error.ts';
import { errorReply } from '../json-rpc/replies.ts';
import { JSON_TYPE } from './respond.ts';

type Refusal = { readonly status: number; readonly error: ServiceError };

/** Answers, on the bare socket, what node:http could not make a request of, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, limitMs: number): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = toRefusal(error, limitMs);
  const body = errorReply('null', refusal.error).toString();
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function toRefusal(error: NodeJS.ErrnoException, limitMs: number): Refusal {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, error: serviceError('requestTimeout', { limitMs }, error) };
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  return { status, error: serviceError('invalidRequest', {}, error) };
}
