import { writeSync } from 'node:fs';

/** Writes all bytes at the end of an open file, of which the system may take a part at a time. @throws an error of the operating system. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
