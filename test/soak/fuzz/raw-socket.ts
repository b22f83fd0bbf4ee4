import { connect } from 'node:net';

const DEADLINE_MS = 8_000;
/** The time for which an open connection is read. */
const READ_MS = 300;
const CLOSE = 0x88;

/** The end of a WebSocket of raw bytes. */
export type RawEnd = {
  readonly isUpgraded: boolean;
  /** The code of the close frame that came last (RFC 6455, section 7.4); undefined: none came. */
  readonly closeCode: number | undefined;
  readonly isLate: boolean;
};

/** Opens a WebSocket by hand, writes bytes into it, and tells how it ended. */
export function writeToSocket(port: number, target: string, bytes: Buffer): Promise<RawEnd> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let isUpgraded = false;
    const socket = connect(port, '127.0.0.1');
    const head = [
      ...[`GET ${target} HTTP/1.1`, 'host: x', 'connection: upgrade', 'upgrade: websocket'],
      ...['sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='],
    ];
    socket.once('connect', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
    socket.on('data', (data) => {
      parts.push(data);
      if (isUpgraded || !Buffer.concat(parts).includes('\r\n\r\n')) return;
      isUpgraded = Buffer.concat(parts).includes(' 101 ');
      socket.write(bytes);
      setTimeout(() => socket.end(), READ_MS);
    });
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, DEADLINE_MS);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(late);
      resolve({ isUpgraded, closeCode: closeCodeIn(Buffer.concat(parts)), isLate });
    });
  });
}

/** A close frame is the last one, and its reason has at most 123 bytes. */
function closeCodeIn(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 2; at >= Math.max(0, bytes.length - 127); at -= 1) {
    const length = bytes[at + 1] ?? 0;
    if (bytes[at] === CLOSE && at + 2 + length === bytes.length && length >= 2)
      return bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
