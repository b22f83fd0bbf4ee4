import { setTimeout as pause } from 'node:timers/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut, refused and held. */
export type CutProxy = {
  readonly port: number;
  /** Ends every connection at once, in the middle of whatever it carries; with `reset` as a peer that is lost. */
  readonly cut: (how?: 'reset') => void;
  /** Ends and comes back at the same port, as a process that is killed and started again. */
  readonly restart: () => Promise<void>;
  /** While it is down, connections are refused as soon as they are made. */
  isDown: boolean;
  /** Passes nothing on, in either direction, and ends no connection, until it is told otherwise. */
  readonly hold: (isHeld: boolean) => void;
  /** The instant (`performance.now()`) since which it has been neither down nor held; undefined while it is. */
  readonly soundSinceMs: () => number | undefined;
  readonly close: () => Promise<void>;
};

/** Where connections go; new ones follow a change of it. */
export type CutProxyTarget = { host?: string; port: number };

/** Connections are refused for this time while it starts again. */
const RESTART_MS = 50;

/** Passes every connection on to a port, of this machine unless told otherwise. */
export async function startCutProxy(target: number | CutProxyTarget): Promise<CutProxy> {
  const place: CutProxyTarget = typeof target === 'number' ? { port: target } : target;
  const sockets = new Set<Socket>();
  let [isHeld, isDown, mendedMs] = [false, false, performance.now()];
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket
      .setNoDelay(true)
      .on('error', ignore)
      .on('close', () => sockets.delete(socket));
  };
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (to.write(chunk)) return;
      from.pause();
      to.once('drain', () => void (isHeld || from.resume()));
    });
    from.on('end', () => to.end()).on('close', () => void (from.readableEnded || to.destroy()));
    if (isHeld) from.pause();
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    if (isDown) return client.destroy();
    const { port, host = '127.0.0.1' } = place;
    const upstream = track(connect({ port, host, allowHalfOpen: true }));
    pass(client, upstream);
    pass(upstream, client);
    return client;
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = (how?: 'reset'): void => {
    for (const socket of sockets) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroy();
    }
  };
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
  };
  const proxy: CutProxy = {
    port,
    cut,
    close,
    restart: async () => {
      await close();
      await pause(RESTART_MS);
      await listen(port);
    },
    get isDown() {
      return isDown;
    },
    set isDown(down) {
      if (isDown && !down) mendedMs = performance.now();
      isDown = down;
    },
    soundSinceMs: () => (isDown || isHeld ? undefined : mendedMs),
    hold: (held) => {
      if (isHeld && !held) mendedMs = performance.now();
      isHeld = held;
      for (const socket of sockets) {
        if (held) socket.pause();
        else socket.resume();
      }
    },
  };
  return proxy;
}

function ignore(): void {
  // Both sides of the connection are ended when one of them fails.
}
