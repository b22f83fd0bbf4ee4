import { Duplex } from 'node:stream';

/** Where a stream's bytes go, and how it is heard again. */
export type Wire = {
  /** A new connection begins; its bytes come to `receive`, its loss to `lose`. Returns how to send. */
  connect(receive: (bytes: Uint8Array) => void, lose: (error: Error) => void): (bytes: Uint8Array) => void;
};

/**
 * What `pg` takes for its socket: a Duplex with the few methods of net.Socket that the driver calls.
 * No backpressure: the driver asks and waits, and answers are bounded by what was asked.
 */
export class WireStream extends Duplex {
  readonly #wire: Wire;
  #send: ((bytes: Uint8Array) => void) | undefined;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  connect(): this {
    this.#send = this.#wire.connect(
      (bytes) => void (this.destroyed || this.push(bytes)),
      (error) => void this.destroy(error),
    );
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;

  override _read(): void {
    // Bytes are pushed when they come.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#transmit(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#transmit(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.push(null);
    done();
  }

  #transmit(bytes: Uint8Array, done: (error?: Error) => void): void {
    this.#send?.(bytes);
    done(this.#send === undefined ? new Error('not connected') : undefined);
  }
}
