import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { LentStream } from '../../../rpc/lent-stream.ts';

/** Writes a part of a body. */
export type WritePart = (socket: Socket, part: Buffer) => void;

/** The end of a body in the chunked transfer coding (RFC 9112, section 7.1). */
export const LAST_CHUNK = '0\r\n\r\n';

/** Writes a part as it is. */
export function writePart(socket: Socket, part: Buffer): void {
  socket.write(part);
}

/** Writes a part in the chunked transfer coding, where an empty one would be the end. */
export function writeChunk(socket: Socket, part: Buffer): void {
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
export async function relay(body: Readable, socket: Socket, write: WritePart): Promise<void> {
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
