import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import { NOTIFICATION } from './scripted-notification.ts';

// A ledger node for the fan-out bench: it takes every subscription and notifies those of accounts when its parent says so.

const RESULTS: Readonly<Record<string, unknown>> = {
  getHealth: 'ok',
  getSlot: 400,
  getGenesisHash: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
  getAccountInfo: { context: { slot: 400 }, value: null },
  getVersion: { 'solana-core': '4.2.0', 'feature-set': 0 },
};

type Call = { readonly id: unknown; readonly method: string };
type Subscriber = { readonly socket: WebSocket; readonly id: number };

const accounts: Subscriber[] = [];
const slotSubscribers: Subscriber[] = [];
let [lastId, slot] = [0, 400];

const http = createServer(async (request, response) => {
  const body = JSON.parse(await text(request)) as Call | readonly Call[];
  const answers = [body]
    .flat()
    .map(({ id, method }) => ({ jsonrpc: '2.0', id, result: RESULTS[method] ?? null }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
});
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
sockets.on('connection', (socket) =>
  socket.on('message', (data) => take(socket, JSON.parse(String(data)) as Call)),
);
http.listen(0, '127.0.0.1', () => process.send?.({ port: (http.address() as AddressInfo).port }));

setInterval(() => {
  const result = { slot, parent: slot - 1, root: slot - 32 };
  for (const { socket, id: subscription } of slotSubscribers)
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', method: 'slotNotification', params: { result, subscription } }),
    );
}, 400);

process.on('message', () => {
  slot += 1;
  const firedMs = performance.timeOrigin + performance.now();
  for (const { socket, id } of accounts) socket.send(NOTIFICATION(id, slot));
  process.send?.({ firedMs });
});
process.once('disconnect', () => process.exit(0));

function take(socket: WebSocket, { id, method }: Call): void {
  if (id === undefined) return;
  if (!method.endsWith('Subscribe')) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] ?? true }));
    return;
  }
  lastId += 1;
  if (method === 'accountSubscribe') accounts.push({ socket, id: lastId });
  if (method === 'slotSubscribe') slotSubscribers.push({ socket, id: lastId });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: lastId }));
}
