import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ServiceError } from '../../base/service-error.ts';
import { toGrpcStatus } from './grpc-status.ts';

/** Answers every call on a connection with an error, and closes it after the first. */
export function refuseGrpc(socket: Socket, reason: ServiceError): void {
  socket.on('error', () => socket.destroy());
  const server = createServer();
  server.on('stream', (stream) => refuseCall(stream, reason));
  server.on('sessionError', () => socket.destroy());
  server.emit('connection', socket);
}

function refuseCall(stream: ServerHttp2Stream, reason: ServiceError): void {
  const { code, details, metadata } = toGrpcStatus(reason);
  stream.on('error', () => undefined);
  stream.once('close', () => stream.session?.close());
  const headers = {
    ...metadata?.toHttp2Headers(),
    ...{ ':status': 200, 'content-type': 'application/grpc+proto' },
    ...{ 'grpc-status': code, 'grpc-message': encodeURI(details) },
  };
  stream.respond(headers, { endStream: true });
}
