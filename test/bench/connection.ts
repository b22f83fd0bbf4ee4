import { connect, type Socket } from 'node:net';

type Done = (error: Error | undefined) => void;

/** Servers close what is idle for 5 s. */
const MAX_IDLE_MS = 2_000;

/** One kept-alive HTTP/1.1 connection, one request at a time; cheap, so that the generator costs little. */
export class Connection {
  readonly #socket: Socket;
  #done: Done | undefined;
  #head = '';
  #leftBytes = 0;
  #usedMs = performance.now();

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#finish(error));
    this.#socket.on('close', () => this.#finish(new Error('the connection was closed')));
  }

  /** False when it has been idle for so long that the server may be closing it: open another one. */
  get isFresh(): boolean {
    return performance.now() - this.#usedMs < MAX_IDLE_MS;
  }

  /** Sends a request; `done` is called when its whole answer is there, with an error unless it succeeded. */
  exchange(request: Buffer, done: Done): void {
    this.#done = done;
    this.#socket.write(request);
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#leftBytes > 0) this.#takeBody(chunk.length);
    else this.#takeHead(chunk);
  }

  #takeHead(chunk: Buffer): void {
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#head.slice(0, end);
    const bodyBytes = this.#head.length - end - 4;
    this.#head = '';
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined || !head.startsWith('HTTP/1.1 20')) {
      this.#finish(new Error(head));
      return;
    }
    this.#leftBytes = Number(length);
    this.#takeBody(bodyBytes);
  }

  #takeBody(sizeBytes: number): void {
    this.#leftBytes -= sizeBytes;
    if (this.#leftBytes <= 0) this.#finish(undefined);
  }

  #finish(error: Error | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    this.#usedMs = performance.now();
    done?.(error);
  }
}
