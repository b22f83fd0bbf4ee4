import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { serviceError } from '../base/service-error.ts';
import type { FileLine } from './backup-line.ts';

const PART_BYTES = 512 * 1024;

export type FileSource = {
  readonly path: string;
  /** Its name in the backup. */
  readonly name: string;
  /** The user that it has to belong to; undefined: any. */
  readonly uid?: number | undefined;
  /** Lines are appended to it meanwhile: one that is not ended is left out. */
  readonly isLines?: true;
};

/**
 * Reads a file as it is about when it is opened; nothing if there is none. What is appended later is left out.
 *
 * @throws ServiceError `copyRefused` if it is no file of that user, or a link.
 */
export async function* fileLines({ path, name, uid, isLines }: FileSource): AsyncGenerator<FileLine> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw refuse(path, error.message, error);
    },
  );
  if (file === undefined) return;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refuse(path, 'it is no file');
    if (uid !== undefined && found.uid !== uid)
      throw refuse(path, `it belongs to user ${found.uid}, and not to ${uid}`);
    const front = Buffer.alloc(Math.min(PART_BYTES, found.size));
    await readAll(file, front, 0, path);
    // The record of destroyed keys begins with their number: what that counts is in the file by now, and maybe was not before.
    const { size } = await file.stat();
    const end = isLines ? await lastLineEnd(file, size) : size;
    yield { kind: 'file', name, data: front.toString('base64', 0, Math.min(front.length, end)) };
    front.fill(0);
    for (let at = front.length; at < end; at += PART_BYTES) {
      const part = Buffer.alloc(Math.min(PART_BYTES, end - at));
      await readAll(file, part, at, path);
      yield { kind: 'file', name, data: part.toString('base64') };
      part.fill(0);
    }
  } finally {
    await file.close();
  }
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function readAll(file: OpenFile, part: Buffer, at: number, path: string): Promise<void> {
  for (let read = 0; read < part.length; ) {
    const { bytesRead } = await file.read(part, read, part.length - read, at + read);
    if (bytesRead === 0) throw refuse(path, 'it became shorter while it was read');
    read += bytesRead;
  }
}

/** Position behind the last line end. */
async function lastLineEnd(file: OpenFile, size: number): Promise<number> {
  const part = Buffer.alloc(PART_BYTES);
  for (let end = size; end > 0; end -= PART_BYTES) {
    const from = Math.max(0, end - PART_BYTES);
    const { bytesRead } = await file.read(part, 0, end - from, from);
    const at = part.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

function refuse(where: string, reason: string, cause?: unknown): Error {
  return serviceError('copyRefused', { where, reason }, cause);
}
