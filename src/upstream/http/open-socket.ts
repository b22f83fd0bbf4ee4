import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** How sockets to one origin are opened. */
export type SocketOpener = {
  /** What comes is handed to `onData`, which may keep it. */
  readonly open: (onData: (bytes: Buffer) => void) => Socket;
  /** What a socket emits when it can be written to. */
  readonly readyEvent: 'connect' | 'secureConnect';
};

/** What every socket is read into: it is copied out of before anything else is read, and costs less than 64 KiB for each read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/** Sockets to an http or https origin. Of TLS the certificate is checked, and sessions are taken up again until a socket fails. */
export function socketOpener({ protocol, hostname, port }: URL): SocketOpener {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') {
    const address = { host, port: Number(port || 80) };
    return { open: (onData) => connectTcp({ ...address, onread: onRead(onData) }), readyEvent: 'connect' };
  }
  const named = isIP(host) === 0 ? { servername: host } : {};
  const address = { host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...named };
  let session: Buffer | undefined;
  const open: SocketOpener['open'] = (onData) => {
    const taken = session === undefined ? {} : { session };
    const options = { ...address, ...taken, onread: onRead(onData) };
    const socket = connectTls(options);
    socket.once('error', () => {
      session = undefined;
    });
    return socket.on('session', (next) => {
      session = next;
    });
  };
  return { open, readyEvent: 'secureConnect' };
}

function onRead(onData: (bytes: Buffer) => void): OnReadOpts {
  return {
    buffer: READ_BUFFER,
    callback: (sizeBytes) => {
      onData(Buffer.from(READ_BUFFER.subarray(0, sizeBytes)));
      return true;
    },
  };
}
