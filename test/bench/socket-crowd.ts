import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

// A crowd of WebSocket clients for the bench, in a process of its own: bare sockets and the least that RFC 6455 asks for, so that
// they cost little compared with the measured server. Talks to its parent over IPC.

/** The orders of the parent. */
export type CrowdOrder =
  | {
      readonly kind: 'open';
      readonly port: number;
      readonly path: string;
      readonly count: number;
      /** Sent by each socket once it is open; its first answer is waited for. */
      readonly hello: string | undefined;
    }
  /** Reports when every socket has received a number of messages more. */
  | { readonly kind: 'await'; readonly each: number };

/** The reports to the parent; times are milliseconds since 1970. */
export type CrowdReport =
  | { readonly kind: 'opened' }
  | { readonly kind: 'arrived'; readonly lastMs: number; readonly messages: number };

const BATCH = 200;
const HEAD_END = '\r\n\r\n';
const LENGTH_MASK = 0x7f;
const [TWO_BYTES, EIGHT_BYTES] = [126, 127];

let received = 0;
let wanted = Number.POSITIVE_INFINITY;
let sockets = 0;

process.on('message', (order: CrowdOrder) => {
  if (order.kind === 'open') void openAll(order);
  else expectMore(sockets * order.each);
});
process.once('disconnect', () => process.exit(0));

async function openAll({ port, path, count, hello }: CrowdOrder & { kind: 'open' }): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    await Promise.all(Array.from({ length: size }, () => openOne(port, path, hello)));
  }
  sockets += count;
  tell({ kind: 'opened' });
}

function expectMore(messages: number): void {
  received = 0;
  wanted = messages;
}

/** Resolves when the socket is open and, where it says hello, has been answered; counts what comes from then on. */
function openOne(port: number, path: string, hello: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.write(upgradeOf(path));
    let head = '';
    const onHead = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes(HEAD_END)) return;
      if (!head.startsWith('HTTP/1.1 101')) reject(new Error(head.split('\r\n', 1)[0]));
      socket.off('data', onHead);
      if (hello === undefined) {
        resolve();
        socket.on('data', count(socket));
      } else {
        socket.write(textFrame(hello));
        socket.once('data', () => {
          resolve();
          socket.on('data', count(socket));
        });
      }
    };
    socket.on('data', onHead);
  });
}

function upgradeOf(path: string): string {
  const key = randomBytes(16).toString('base64');
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13${HEAD_END}`;
}

/** A masked text frame (RFC 6455, 5.2) of at most 65,535 bytes. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const mask = randomBytes(4);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  const head = Buffer.from([0x81, 0x80 | TWO_BYTES, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, mask, masked]);
}

/** Counts the frames in what comes; those of a server are not masked. */
function count(socket: Socket): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('close', () => tellOfLoss());
  return (chunk) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = frameEnd(bytes); end !== undefined; end = frameEnd(bytes)) {
      bytes = bytes.subarray(end);
      received += 1;
      if (received === wanted) tell({ kind: 'arrived', lastMs: nowMs(), messages: received });
    }
    rest = bytes;
  };
}

function frameEnd(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & LENGTH_MASK;
  const headLength = short === EIGHT_BYTES ? 10 : short === TWO_BYTES ? 4 : 2;
  if (bytes.length < headLength) return undefined;
  const length =
    short === EIGHT_BYTES
      ? Number(bytes.readBigUInt64BE(2))
      : short === TWO_BYTES
        ? bytes.readUInt16BE(2)
        : short;
  return headLength + length <= bytes.length ? headLength + length : undefined;
}

function tellOfLoss(): void {
  if (process.connected) throw new Error('the server closed a socket');
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

function tell(report: CrowdReport): void {
  process.send?.(report);
}
