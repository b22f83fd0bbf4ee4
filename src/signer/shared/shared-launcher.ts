import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import type { SupervisedProcess } from '../../core/process/supervised-child.ts';
import type { SignerLauncher } from '../client/signer-launcher.ts';
import { encodeFrame, type Frame, FrameReader } from '../wire/frame.ts';

/**
 * Returns the launcher of a process without a signer of its own: it "starts" the one that its parent shares through a `SignerRelay` at the
 * other end of the socket.
 */
export function sharedLauncher(socket: Duplex): SignerLauncher {
  let current: SharedSigner | undefined;
  const frames = new FrameReader();
  socket.on('data', (bytes: Buffer) => {
    try {
      for (const frame of frames.take(bytes)) {
        if (isDownNotice(frame)) current?.lose();
        else current?.take(frame);
      }
    } catch {
      socket.destroy();
    }
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => current?.lose());
  return {
    directory: undefined,
    launch: () => {
      current = new SharedSigner(socket);
      return { process: current, link: Promise.resolve(current.link) };
    },
  };
}

/** The shared signer, presented as a child of this process. Killing it only disconnects from it. */
class SharedSigner extends EventEmitter implements SupervisedProcess {
  readonly pid = process.ppid;
  readonly link: Duplex;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  constructor(socket: Duplex) {
    super();
    this.link = new Duplex({
      read: () => undefined,
      write: (bytes: Buffer, _encoding, done) => void socket.write(bytes, () => done()),
      final: (done) => {
        done();
        this.lose();
      },
    });
  }

  take(frame: Frame): void {
    if (this.exitCode === null) this.link.push(encodeFrame(frame));
  }

  kill(): boolean {
    this.lose();
    return true;
  }

  lose(): void {
    if (this.exitCode !== null) return;
    this.exitCode = 0;
    this.link.destroy();
    this.emit('exit', 0, null);
  }
}

/** The id of the first request on a link, and of notices about the link itself. */
export const LINK_ID = 0;
/** An outcome code that no request has. */
const DOWN = 255;

/** Notifies a worker that the signer is gone: unanswered requests, and those sent before the next opening, are lost. */
export const DOWN_NOTICE = encodeFrame({ id: LINK_ID, code: DOWN, payload: Buffer.alloc(0) });

/** True for this notice. */
export function isDownNotice({ id, code }: { readonly id: number; readonly code: number }): boolean {
  return id === LINK_ID && code === DOWN;
}
