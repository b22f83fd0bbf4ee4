import { Duplex } from 'node:stream';

/** Carries the bytes of streams. */
export type Wire = {
  /** Opens a connection; its bytes go to `receive`, its loss to `lose`. Returns the function that sends. */
  connect(receive: (bytes: Uint8Array) => void, lose: (error: Error) => void): (bytes: Uint8Array) => void;
};

/**
 * The socket of `pg`: a Duplex with the few methods of net.Socket that the driver calls. No backpressure: the driver asks and waits, and
 * its requests bound the answers.
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
    // Bytes are pushed when they arrive.
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
