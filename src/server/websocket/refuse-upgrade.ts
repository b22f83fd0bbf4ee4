import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEntry } from '../../../generated/errors.ts';
import type { ServiceError } from '../../base/service-error.ts';
import { COMMON_HEADERS } from '../http/respond.ts';
import { errorReply } from '../../rpc/replies.ts';
import { endGently } from '../http/unread-bytes.ts';

/** Answers a request to open a WebSocket as a refused POST is answered: status, JSON-RPC error body; and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: ServiceError): void {
  const { http } = errorEntry(error.code);
  const body = errorReply('null', error);
  const head = [
    `HTTP/1.1 ${http} ${STATUS_CODES[http]}`,
    ...Object.entries(COMMON_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    ...(error.code === 'upgradeInvalid' ? ['sec-websocket-version: 13'] : []),
    'connection: close',
  ];
  endGently(socket, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}
