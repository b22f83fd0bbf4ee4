import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** Something wrong with a server: it says other text than it should, or nothing (undefined). */
export type SocketFault = (text: string) => string | undefined;

export type SocketFaultProxy = { readonly wsUrl: string; readonly stop: () => Promise<void> };

/** Serves what the target serves, with one fault. */
export async function startSocketFaultProxy(wsUrl: string, fault: SocketFault): Promise<SocketFaultProxy> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (client) => {
    const target = new WebSocket(wsUrl);
    const opened = once(target, 'open');
    client.on('message', (data) => {
      void opened.then(() => target.send(String(data)));
    });
    client.on('close', () => target.terminate());
    target.on('message', (data) => {
      const text = fault(String(data));
      if (text !== undefined) client.send(text);
    });
  });
  return {
    wsUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}
