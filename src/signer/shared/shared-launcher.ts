import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import type { SupervisedProcess } from '../../base/supervised-child.ts';
import type { SignerLauncher } from '../client/signer-launcher.ts';
import { encodeFrame, type Frame, FrameReader } from '../wire/frame.ts';
import { isDownNotice } from './down-notice.ts';

/**
 * Returns the launcher of a process that has no signer of its own: it "starts" the one that its parent shares by a `SignerRelay` at the
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

/** The shared signer, presented as a child of this process. To kill it is to leave it. */
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
