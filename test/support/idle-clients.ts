import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type IdleClientOptions = {
  /** Bytes that each sends first. */
  readonly sends?: string;
  /** Local address of each; all of 127.0.0.0/8 is this machine. */
  readonly from?: string;
};

/** A client that connects and waits. */
export type IdleClient = {
  readonly socket: Socket;
  /** Everything it receives until its connection ends. */
  readonly received: Promise<string>;
};

/** Opens connections that ask for nothing, one after the other. They end with the test. */
export async function openIdleClients(
  port: number,
  count: number,
  { sends = '', from }: IdleClientOptions = {},
): Promise<readonly IdleClient[]> {
  const clients: IdleClient[] = [];
  onTestFinished(() => {
    for (const { socket } of clients) socket.destroy();
  });
  for (let index = 0; index < count; index++) {
    const socket = connect({
      port,
      host: '127.0.0.1',
      ...(from === undefined ? {} : { localAddress: from }),
    });
    socket.on('error', () => undefined);
    clients.push({ socket, received: text(socket).catch(() => 'broken off') });
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    if (sends !== '') socket.write(sends);
  }
  return clients;
}
