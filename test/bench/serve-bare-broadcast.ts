import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { NOTIFICATION } from './scripted-notification.ts';

// The peer of the fan-out bench: the least that a server on `ws` does to send one message to all of its sockets.

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('listening', () => process.send?.({ port: (server.address() as AddressInfo).port }));
server.on('connection', (socket) =>
  socket.on('message', () => socket.send('{"jsonrpc":"2.0","result":0,"id":1}')),
);

process.on('message', () => {
  const firedMs = performance.timeOrigin + performance.now();
  const bytes = Buffer.from(NOTIFICATION(0));
  for (const socket of server.clients) socket.send(bytes, { binary: false });
  process.send?.({ firedMs });
});
process.once('disconnect', () => process.exit(0));
