import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

export const UPLOAD_BYTES = 2 * 1024 * 1024;
/** By then every limit of a test is passed. */
const ANSWERED_BYTES = UPLOAD_BYTES * 0.75;
const PART = Buffer.alloc(64 * 1024, ' ');
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), PART, Buffer.from('\r\n')]);
const LAST_CHUNK = '0\r\n\r\n';

type Way = {
  readonly isChunked?: boolean;
  /** True: the client writes the last quarter when the answer is there. Default: it reads nothing before it has written all. */
  readonly waits?: boolean;
};

export const WAYS: readonly Way[] = [
  {},
  { isChunked: true },
  { waits: true },
  { isChunked: true, waits: true },
];

export type Upload = Way & {
  readonly port: number;
  /** The certificate of a server that speaks TLS. */
  readonly ca?: string;
  /** A request whose answer is awaited first. */
  readonly before?: string;
  /** The first lines of its head; those that frame the body are added. */
  readonly head: readonly string[];
  /** Sent behind it. */
  readonly next: string;
};

/**
 * Sends a request with a body of 2 MiB, in parts and to its end, whatever is answered meanwhile.
 *
 * @returns the statuses of all answers until the server ended the connection. Rejects if the connection is reset.
 */
export async function upload(options: Upload): Promise<readonly number[]> {
  const { port, ca, before, head, isChunked = false, waits = false, next } = options;
  const address = { port, host: '127.0.0.1', allowHalfOpen: true };
  const socket = ca === undefined ? connect(address) : connectTls({ ...address, ca });
  socket.setNoDelay().pause();
  socket.on('error', () => undefined);
  const write = (bytes: Buffer | string): Promise<void> =>
    new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
  let heard = '';
  if (before !== undefined) {
    await write(before);
    heard += await hear(socket);
  }
  const framing = isChunked ? 'transfer-encoding: chunked' : `content-length: ${UPLOAD_BYTES}`;
  await write(`${[...head, 'host: x', framing].join('\r\n')}\r\n\r\n`);
  for (let sent = 0; sent < UPLOAD_BYTES; sent += PART.length) {
    if (waits && sent === ANSWERED_BYTES) heard += await hear(socket);
    await write(isChunked ? CHUNK : PART);
    await setImmediate();
  }
  if (isChunked) await write(LAST_CHUNK);
  await write(next);
  heard += await text(socket);
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

async function hear(socket: Socket): Promise<string> {
  const heard = once(socket, 'data');
  socket.resume();
  const [bytes] = await heard;
  socket.pause();
  return String(bytes);
}

/** The outcome of an upload in each of some ways to send one; `inEachWay` has what is expected. */
export function uploadEachWay(request: Omit<Upload, keyof Way>, ways = WAYS): Promise<readonly string[]> {
  return Promise.all(
    ways.map(async (way) => {
      const statuses = await upload({ ...request, ...way }).catch((error: unknown) => [String(error)]);
      return `${JSON.stringify(way)} ${statuses.join()}`;
    }),
  );
}

export function inEachWay(statuses: string, ways = WAYS): readonly string[] {
  return ways.map((way) => `${JSON.stringify(way)} ${statuses}`);
}
