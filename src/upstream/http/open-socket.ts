import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Takes received bytes. @returns true if it keeps them; if not, the next read overwrites them. */
export type OnData = (bytes: Buffer) => boolean;

/** Opens sockets to one origin. */
export type SocketOpener = {
  readonly open: (onData: OnData) => Socket;
  /** The event that a socket emits when it is writable. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** True if a paused socket may still deliver what it has read: TLS does, record by record. */
  readonly readsOn: boolean;
};

/** The size of one read. Each socket has a buffer of this size for all its reads: a new one for each would cost more than the copies. */
const READ_BYTES = 65_536;
/** The most that one TLS record holds (RFC 8446, section 5.1); a record is delivered at once. */
const RECORD_BYTES = 16_384;

/**
 * Returns an opener of sockets to an http or https origin. TLS certificates are verified, and sessions are resumed until a
 * socket fails.
 */
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

/**
 * Reads continue behind kept bytes as long as the buffer has room for `leastBytes`, so that small records do not take a whole
 * buffer each.
 */
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
