import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Takes what has come. @returns whether it keeps the bytes for good; if not, the next read overwrites them. */
export type OnData = (bytes: Buffer) => boolean;

/** How sockets to one origin are opened. */
export type SocketOpener = {
  readonly open: (onData: OnData) => Socket;
  /** What a socket emits when it can be written to. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** Whether a paused socket may still hand on what it has read: TLS does, record by record. */
  readonly readsOn: boolean;
};

/** What is read at once. Each socket has a buffer of this size for all its reads: a new one for each would cost more than the copies. */
const READ_BYTES = 65_536;
/** The most that one record of TLS holds (RFC 8446, section 5.1), and is handed on at once. */
const RECORD_BYTES = 16_384;

/** Sockets to an http or https origin. Of TLS the certificate is checked, and sessions are taken up again until a socket fails. */
export function socketOpener({ protocol, hostname, port }: URL): SocketOpener {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') {
    const address = { host, port: Number(port || 80) };
    const open: SocketOpener['open'] = (onData) =>
      connectTcp({ ...address, onread: onRead(onData, READ_BYTES) });
    return { open, readyEvent: 'connect', readsOn: false };
  }
  const named = isIP(host) === 0 ? { servername: host } : {};
  const address = { host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...named };
  let session: Buffer | undefined;
  const open: SocketOpener['open'] = (onData) => {
    const taken = session === undefined ? {} : { session };
    const options = { ...address, ...taken, onread: onRead(onData, RECORD_BYTES) };
    const socket = connectTls(options);
    socket.once('error', () => {
      session = undefined;
    });
    return socket.on('session', (next) => {
      session = next;
    });
  };
  return { open, readyEvent: 'secureConnect', readsOn: true };
}

/** Behind what is kept the buffer is read into as long as there is room for `leastBytes`: small records do not take a whole one each. */
function onRead(onData: OnData, leastBytes: number): OnReadOpts {
  let buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  return {
    buffer: () => buffer,
    callback: (sizeBytes) => {
      if (onData(buffer.subarray(0, sizeBytes))) {
        const rest = buffer.subarray(sizeBytes);
        buffer = rest.length < leastBytes ? Buffer.allocUnsafeSlow(READ_BYTES) : rest;
      }
      return true;
    },
  };
}
