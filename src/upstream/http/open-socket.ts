import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** How sockets to one origin are opened. */
export type SocketOpener = {
  readonly open: () => Socket;
  /** What a socket emits when it can be written to. */
  readonly readyEvent: 'connect' | 'secureConnect';
};

/** Sockets to an http or https origin. Of TLS the certificate is checked, and sessions are taken up again. */
export function socketOpener({ protocol, hostname, port }: URL): SocketOpener {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') {
    const address = { host, port: Number(port || 80) };
    return { open: () => connectTcp(address), readyEvent: 'connect' };
  }
  const named = isIP(host) === 0 ? { servername: host } : {};
  const address = { host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...named };
  let session: Buffer | undefined;
  const open = (): Socket => {
    const socket = connectTls({ ...address, ...(session === undefined ? {} : { session }) });
    return socket.on('session', (next) => {
      session = next;
    });
  };
  return { open, readyEvent: 'secureConnect' };
}
