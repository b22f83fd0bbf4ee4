import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/** What stands before the content of every request. */
export type RequestHead = {
  /** The request was sent before, to a signer that died before it answered. */
  readonly isRepeat: boolean;
  /** How long the gateway still waits. */
  readonly remainingMs: number;
};

/** Writes what stands before the content. */
export function writeHead(writer: ByteWriter, { isRepeat, remainingMs }: RequestHead): void {
  writer.u8(isRepeat ? 1 : 0).u32(remainingMs);
}

/** Reads what stands before the content. */
export function readHead(reader: ByteReader): RequestHead {
  return { isRepeat: reader.u8() === 1, remainingMs: reader.u32() };
}
