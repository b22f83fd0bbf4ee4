import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut. */
export type CutProxy = {
  readonly port: number;
  /** Ends every connection at once, in the middle of whatever it carries. */
  readonly cut: () => void;
  /** While it is down, connections are refused as soon as they are made. */
  isDown: boolean;
  readonly close: () => Promise<void>;
};

/** Passes every connection on to a port of this machine. */
export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    if (proxy.isDown) return client.destroy();
    const target = track(connect(targetPort, '127.0.0.1'));
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
    return client;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: CutProxy = {
    port: (server.address() as AddressInfo).port,
    cut,
    isDown: false,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
