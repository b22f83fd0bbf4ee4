import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { STATUS_CODES } from '../../../core/node-http.ts';
import { LentStream } from '../../../core/rpc/zero-copy-stream.ts';

export type PlainResponseOptions = {
  readonly socket: Socket;
  /** Called when the head is sent: true if the connection closes after this answer. */
  readonly isLast: () => boolean;
  readonly keepAliveMs: number;
  /** Milliseconds without progress until the socket emits `timeout`, while the system has yet to take the answer. */
  readonly idleTimeoutMs: number;
  /** Called when the answer has been written, or the connection has closed before. */
  readonly onClose: () => void;
};

type HeaderMap = Readonly<Record<string, string>>;

/**
 * The answer to a plain request: the members of `ServerResponse` that handlers use, written to the socket in as few parts as
 * possible.
 */
export class PlainResponse {
  readonly #options: PlainResponseOptions;
  readonly #fields: Record<string, string> = {};
  readonly #listeners: (() => void)[] = [];
  #head = '';
  #isEnded = false;
  #isClosed = false;
  headersSent = false;
  /** True if the caller has a valid key. */
  isAdmitted = false;
  /** The status that was sent; 200 before. */
  statusCode = 200;
  /** True once the system has taken the whole answer. */
  writableFinished = false;

  constructor(options: PlainResponseOptions) {
    this.#options = options;
  }

  /** True if nothing can be sent any more. */
  get destroyed(): boolean {
    return this.#isClosed || !this.#options.socket.writable;
  }

  setHeader(name: string, value: string): void {
    this.#fields[name] = value;
  }

  /** True if all of it was given to the system, which cannot send it, and its caller has no valid key. */
  get isUntaken(): boolean {
    return this.#isEnded && !this.#isClosed && !this.isAdmitted;
  }

  /** Builds the head, which is sent with the first write. */
  writeHead(status: number, fields: HeaderMap): void {
    const all = Object.assign(this.#fields, fields);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const name in all) head += `${name}: ${all[name]}\r\n`;
    const { isLast, keepAliveMs } = this.#options;
    const fate = isLast() ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`;
    this.#head = `${head}Date: ${httpDate()}\r\nConnection: ${fate}\r\n\r\n`;
    this.headersSent = true;
    this.statusCode = status;
  }

  write(part: Buffer): void {
    const { socket } = this.#options;
    if (this.#head !== '') {
      socket.cork();
      socket.write(this.#takeHead(), 'latin1');
    }
    socket.write(part);
  }

  end(body: Buffer | string = '', encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (this.#isClosed) return;
    this.#isEnded = true;
    const { socket } = this.#options;
    if (typeof body === 'string') socket.write(this.#takeHead() + body, encoding);
    else this.write(body);
    while (socket.writableCorked > 0) socket.uncork();
    if (socket.writableLength === 0) this.#finish();
    else this.#finishLater();
  }

  /** Sends a body as it arrives, no faster than it is taken. Rejects when either side breaks off; the connection must be cut then. */
  async sendStream(body: Readable): Promise<void> {
    const { socket } = this.#options;
    const isSized = 'content-length' in this.#fields;
    if (!isSized) this.#head = this.#head.replace('\r\n', '\r\nTransfer-Encoding: chunked\r\n');
    socket.write(this.#takeHead(), 'latin1');
    this.on('close', () => void body.destroy());
    await relay(body, socket, isSized ? writePart : writeChunk);
    this.end(isSized ? '' : LAST_CHUNK);
  }

  destroy(): void {
    this.#options.socket.destroy();
  }

  /** Calls the listener once, when the answer is sent or the connection is gone. */
  on(_event: 'close', listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#listeners.push(listener);
  }

  /** Called when the connection has closed, or the answer has been sent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const listener of this.#listeners) listener();
    this.#options.onClose();
  }

  /** The socket's timer notices that part of the answer was taken; the byte counts do not. */
  #finishLater(): void {
    const { socket, idleTimeoutMs } = this.#options;
    socket.setTimeout(idleTimeoutMs);
    socket.write('', (error) => {
      if (error) return;
      socket.setTimeout(0);
      this.#finish();
    });
  }

  #finish(): void {
    this.writableFinished = true;
    this.close();
  }

  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }
}

let [dateSecond, dateText] = [0, ''];

/** Returns the current time in HTTP form (RFC 9110, section 5.6.7). */
function httpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) [dateSecond, dateText] = [second, new Date(nowMs).toUTCString()];
  return dateText;
}

/** Writes a part of a body. */
type WritePart = (socket: Socket, part: Buffer) => void;

/** The end of a body in the chunked transfer coding (RFC 9112, section 7.1). */
const LAST_CHUNK = '0\r\n\r\n';

/** Writes a part as it is. */
function writePart(socket: Socket, part: Buffer): void {
  socket.write(part);
}

/** Writes a part in the chunked transfer coding, where an empty one would be the end. */
function writeChunk(socket: Socket, part: Buffer): void {
  if (part.length === 0) return;
  socket.cork();
  socket.write(`${part.length.toString(16)}\r\n`, 'latin1');
  socket.write(part);
  socket.write('\r\n', 'latin1');
  socket.uncork();
}

/**
 * Writes the parts of a body to a socket as they come; no other part is read until the system has taken the last one. Lent
 * parts are never copied. Resolves after the last part, which may not have been taken yet; rejects when the body breaks off.
 */
async function relay(body: Readable, socket: Socket, write: WritePart): Promise<void> {
  if (body instanceof LentStream) {
    await body.borrow((part) => sendPart(part, () => body.goOn()));
    return;
  }
  body.on('data', (part: Buffer) => {
    if (!sendPart(part, () => void body.resume())) body.pause();
  });
  await finished(body);

  /** True if the system took it at once; if not, `onTaken` is called when nothing is left to take. */
  function sendPart(part: Buffer, onTaken: () => void): boolean {
    write(socket, part);
    if (socket.writableLength === 0) return true;
    // With TLS more parts may be queued behind this one: all of them are taken when the last is.
    socket.write('', (error) => {
      if (!error && socket.writableLength === 0) onTaken();
    });
    return false;
  }
}
