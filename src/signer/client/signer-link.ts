import type { Duplex } from 'node:stream';
import { type Frame, FrameReader } from '../wire/frame.ts';

/** The socket to one signer. */
export type SignerLink = {
  /** False while the signer takes no more bytes, and once it has gone. */
  readonly isWritable: boolean;
  readonly send: (frame: Buffer) => void;
  /** Tells the signer to exit. */
  readonly end: () => void;
};

export type LinkEvents = {
  /** May throw an error, which breaks the link. */
  readonly onFrame: (frame: Frame) => void;
  readonly onWritable: () => void;
  /** The bytes were not an answer: the signer may be out of step. */
  readonly onBroken: (error: Error) => void;
};

/** Reads frames from a signer's socket. The death of a signer is reported by its process, not here. */
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
