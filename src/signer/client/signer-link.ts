import type { Duplex } from 'node:stream';
import { type Frame, FrameReader } from '../wire/frame.ts';

/** The socket to one signer. */
export type SignerLink = {
  /** False while the signer takes no more bytes, and when it has gone. */
  readonly isWritable: boolean;
  readonly send: (frame: Buffer) => void;
  /** Tells the signer to leave. */
  readonly end: () => void;
};

export type LinkEvents = {
  /** May throw what makes the link broken. */
  readonly onFrame: (frame: Frame) => void;
  readonly onWritable: () => void;
  /** What came is no answer: the signer cannot be trusted to be in step any more. */
  readonly onBroken: (error: Error) => void;
};

/** Reads frames from a signer's socket. That the signer has died is told by its process, not here. */
export function openLink(socket: Duplex, { onFrame, onWritable, onBroken }: LinkEvents): SignerLink {
  const frames = new FrameReader();
  let isBlocked = false;
  socket.on('data', (bytes: Buffer) => {
    try {
      for (const frame of frames.take(bytes)) onFrame(frame);
    } catch (error) {
      socket.destroy();
      onBroken(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('drain', () => {
    isBlocked = false;
    onWritable();
  });
  socket.on('error', () => socket.destroy());
  return {
    get isWritable() {
      return socket.writable && !isBlocked;
    },
    send: (frame) => {
      if (!socket.write(frame)) isBlocked = true;
    },
    end: () => void socket.end(),
  };
}
