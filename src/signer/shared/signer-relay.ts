import type { Duplex } from 'node:stream';
import { serviceError } from '../../base/service-error.ts';
import type { SignerClient } from '../client/request-queue.ts';
import type { SignerLink } from '../client/signer-link.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { encodeFailure, SUCCEEDED } from '../wire/failures.ts';
import { encodeFrame, type Frame, FrameReader } from '../wire/frame.ts';
import type { Hello } from '../wire/hello.ts';
import { OPERATIONS } from '../wire/operations.ts';
import { DOWN_NOTICE, LINK_ID } from './down-notice.ts';

/** A worker's end of the relay. */
type Port = {
  readonly socket: Duplex;
  /** True from the answer to its opening until the signer dies. */
  isOpen: boolean;
  /** True while it waits for a signer. */
  isWaiting: boolean;
};

type Asked = { readonly port: Port; readonly id: number; readonly atMs: number };

/** A signer that has taken no bytes and given no answer for this long hangs. */
const BLOCKED_MS = 10_000;

export type RelayOptions = {
  readonly nowMs: () => number;
  /** Called when the signer hangs: a worker has given it up, and it has answered nobody since that worker's oldest request. */
  readonly onStuck: () => void;
};

/**
 * Passes the requests of several workers on to one signer, and each answer back to who asked. It holds no request: what a signer that dies has
 * not answered, its worker sends again.
 */
export class SignerRelay implements SignerClient {
  readonly #options: RelayOptions;
  readonly #ports = new Set<Port>();
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #link: SignerLink | undefined;
  #hello: Hello | undefined;
  #heardAtMs = 0;
  /** Runs while the signer takes no bytes, when the relay would not hear what a worker gives up. */
  #blocked: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Serves a worker at its socket until that closes. */
  add(socket: Duplex): void {
    const port: Port = { socket, isOpen: false, isWaiting: false };
    const frames = new FrameReader();
    this.#ports.add(port);
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const frame of frames.take(bytes)) this.#receive(port, frame);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#ports.delete(port);
      this.#forget(port);
    });
  }

  /** Notes how the signer describes itself: each worker is told when it opens. */
  greet(hello: Hello): void {
    this.#hello = hello;
  }

  attach(link: SignerLink): void {
    this.#link = link;
    for (const port of this.#ports) if (port.isWaiting) this.#open(port);
  }

  detach(): void {
    this.#unblock();
    this.#link = undefined;
    this.#asked.clear();
    for (const port of this.#ports) {
      if (port.isOpen) port.socket.write(DOWN_NOTICE);
      port.isOpen = false;
      port.socket.resume();
    }
  }

  take({ id, code, payload }: Frame): void {
    this.#heardAtMs = this.#options.nowMs();
    this.#blocked?.refresh();
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    asked.port.socket.write(encodeFrame({ id: asked.id, code, payload }));
  }

  resume(): void {
    this.#unblock();
    for (const { socket } of this.#ports) socket.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.detach();
    for (const port of this.#ports) if (port.isWaiting) this.#refuse(port);
  }

  #receive(port: Port, frame: Frame): void {
    if (frame.id === LINK_ID) {
      const isStuck = port.isOpen && this.#isSilentFor(port);
      this.#forget(port);
      port.isOpen = false;
      port.isWaiting = true;
      if (isStuck) this.#giveUp();
      if (this.#isClosed) this.#refuse(port);
      else if (this.#link !== undefined) this.#open(port);
    } else if (port.isOpen) this.#pass(port, frame);
  }

  #pass(port: Port, { id, code, payload }: Frame): void {
    do this.#lastId = (this.#lastId % 0xffff_ffff) + 1;
    while (this.#asked.has(this.#lastId));
    this.#asked.set(this.#lastId, { port, id, atMs: this.#options.nowMs() });
    this.#link?.send(encodeFrame({ id: this.#lastId, code, payload }));
    if (this.#link?.isWritable !== false) return;
    this.#blocked ??= setTimeout(() => this.#giveUp(), BLOCKED_MS);
    for (const { socket } of this.#ports) socket.pause();
  }

  #open(port: Port): void {
    port.isWaiting = false;
    port.isOpen = true;
    const writer = new ByteWriter();
    OPERATIONS.open.answer.write(writer, JSON.stringify(this.#hello));
    port.socket.write(encodeFrame({ id: LINK_ID, code: SUCCEEDED, payload: writer.done() }));
  }

  #refuse(port: Port): void {
    port.isWaiting = false;
    const error = serviceError('signerNotStarted', { reason: 'it is stopped' });
    port.socket.write(encodeFrame({ id: LINK_ID, ...encodeFailure(error) }));
  }

  /** Sends it nothing more: what it has not answered goes to the next one. */
  #giveUp(): void {
    this.detach();
    this.#options.onStuck();
  }

  #unblock(): void {
    clearTimeout(this.#blocked);
    this.#blocked = undefined;
  }

  /** True if the signer has answered nobody since the oldest request of this port that it has not answered. */
  #isSilentFor(port: Port): boolean {
    // In the order in which they were asked.
    const oldest = [...this.#asked.values()].find((asked) => asked.port === port);
    return oldest !== undefined && this.#heardAtMs < oldest.atMs;
  }

  #forget(port: Port): void {
    for (const [id, asked] of this.#asked) if (asked.port === port) this.#asked.delete(id);
  }
}
