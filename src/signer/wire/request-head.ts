import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/** The head of every request, before its content. */
export type RequestHead = {
  /** True: the request was sent before, to a signer that died before it answered. */
  readonly isRepeat: boolean;
  /** Time that the gateway still waits. */
  readonly remainingMs: number;
};

/** Writes the head. */
export function writeHead(writer: ByteWriter, { isRepeat, remainingMs }: RequestHead): void {
  writer.u8(isRepeat ? 1 : 0).u32(remainingMs);
}

/** Reads the head. */
export function readHead(reader: ByteReader): RequestHead {
  return { isRepeat: reader.u8() === 1, remainingMs: reader.u32() };
}
