import type { FileHandle } from 'node:fs/promises';

/** A line of a file that ends with a newline, without it, and where it stands in bytes. */
export type FileLine = {
  readonly text: string;
  readonly start: number;
  /** Behind its newline. */
  readonly end: number;
};

/** No line of a bill is so long. */
const MOST_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const PIECE_BYTES = 64 * 1024;

/**
 * Yields the lines of a file from its beginning, up to one that does not end, or is longer than 16 MiB. Takes the memory of a line. The file stays
 * open, also when not all lines are taken, which a stream of it would not leave so.
 */
export async function* fileLines(file: FileHandle): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE, from)) {
      const end = start + at + 1 - from;
      yield { text: rest.toString('utf8', from, at), start, end };
      start = end;
      from = at + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > MOST_BYTES) return;
  }
}
