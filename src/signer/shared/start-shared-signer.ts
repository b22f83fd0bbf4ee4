import type { Duplex } from 'node:stream';
import type { SupervisedChild } from '../../core/process/supervised-child.ts';
import { startSignerProcess } from '../client/signer-process.ts';
import { signerSettings } from '../settings.ts';
import type { SignerOptions } from '../signer.ts';
import type { Hello } from '../wire/hello.ts';
import { serviceError } from '../../core/service-error.ts';
import type { SignerClient, SignerLink } from '../client/request-queue.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { encodeFailure, SUCCEEDED } from '../wire/failures.ts';
import { encodeFrame, type Frame, FrameReader } from '../wire/frame.ts';
import { OPERATIONS } from '../wire/operations.ts';
import { DOWN_NOTICE, LINK_ID } from './shared-launcher.ts';

/** A signer that several processes use. */
export type SharedSigner = {
  readonly relay: Pick<SignerRelay, 'add'>;
  readonly child: SupervisedChild<Hello>;
  /** Stops the signer. Workers are refused. */
  readonly close: () => Promise<void>;
};

/**
 * Starts the signer as a supervised child of this process, for others to use, and resolves when it serves.
 *
 * @throws ServiceError `signerNotStarted` with the reason.
 */
export async function startSharedSigner(options: SignerOptions): Promise<SharedSigner> {
  const { dataDir, config, log, start = {}, launcher } = options;
  const relay = new SignerRelay({
    nowMs: () => performance.now(),
    onStuck: () => {
      log.error('the signer does not respond; killing it');
      child.kill();
    },
  });
  const begin = { mayCreate: true, acceptsLoss: false, ...start };
  const settings = signerSettings(dataDir, config.hsm, log.level, begin, launcher?.directory);
  const onHello = (hello: Hello): void => relay.greet(hello);
  const { child, started } = startSignerProcess({ settings, queue: relay, log, launcher, onHello });
  await started;
  return {
    relay,
    child,
    close: async () => {
      relay.close();
      await child.stop();
    },
  };
}

/** A worker's end of the relay. */
type Port = {
  readonly socket: Duplex;
  /** True from the answer to its opening until the signer dies. */
  isOpen: boolean;
  /** True while it waits for a signer. */
  isWaiting: boolean;
};

type Asked = { readonly port: Port; readonly id: number; readonly atMs: number };

/** A signer that has taken no bytes and given no answer for this long is hanging. */
const BLOCKED_MS = 10_000;

type RelayOptions = {
  readonly nowMs: () => number;
  /** Called when the signer hangs: a worker gave up on it, and it has answered nobody since that worker's oldest request. */
  readonly onStuck: () => void;
};

/**
 * Passes the requests of several workers to one signer, and each answer to the worker that asked. It keeps no requests: each worker resends
 * those that a dying signer has not answered.
 */
export class SignerRelay implements SignerClient {
  readonly #options: RelayOptions;
  readonly #ports = new Set<Port>();
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #link: SignerLink | undefined;
  #hello: Hello | undefined;
  #heardAtMs = 0;
  /** Runs while the signer takes no bytes, since the relay would then not notice that a worker gives up. */
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

  /** Stores the signer's description of itself, which each worker gets when it opens. */
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
    const error = serviceError('signerNotStarted', { reason: 'it was stopped' });
    port.socket.write(encodeFrame({ id: LINK_ID, ...encodeFailure(error) }));
  }

  /** Sends it nothing more: unanswered requests go to the next signer. */
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
    // In the order of the requests.
    const oldest = [...this.#asked.values()].find((asked) => asked.port === port);
    return oldest !== undefined && this.#heardAtMs < oldest.atMs;
  }

  #forget(port: Port): void {
    for (const [id, asked] of this.#asked) if (asked.port === port) this.#asked.delete(id);
  }
}
