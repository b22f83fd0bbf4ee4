import { MAX_FRAME_BYTES } from '../limits.ts';
import { ProtocolError, type ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/** One message. `code` is the operation in a request, the outcome in an answer; an answer has its request's id. */
export type Frame = { readonly id: number; readonly code: number; readonly payload: Buffer };

const LENGTH_BYTES = 4;
const HEAD_BYTES = 5;

/** Length of the rest (u32), id (u32), code (u8), payload. */
export function encodeFrame({ id, code, payload }: Frame): Buffer {
  const bytes = Buffer.allocUnsafeSlow(LENGTH_BYTES + HEAD_BYTES + payload.length);
  bytes.writeUInt32BE(HEAD_BYTES + payload.length, 0);
  bytes.writeUInt32BE(id, 4);
  bytes.writeUInt8(code, 8);
  payload.copy(bytes, LENGTH_BYTES + HEAD_BYTES);
  return bytes;
}

/** Splits a stream of bytes into frames. It holds at most one incomplete frame. */
export class FrameReader {
  #rest: Buffer[] = [];
  #held = 0;

  /** Yields the frames that are complete with these bytes. @throws ProtocolError for an invalid length. */
  *take(bytes: Buffer): Generator<Frame> {
    this.#rest.push(bytes);
    this.#held += bytes.length;
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) {
      const whole = this.#join();
      const end = LENGTH_BYTES + length;
      const rest = whole.subarray(end);
      this.#rest = rest.length === 0 ? [] : [rest];
      this.#held = rest.length;
      const payload = whole.subarray(LENGTH_BYTES + HEAD_BYTES, end);
      yield { id: whole.readUInt32BE(4), code: whole.readUInt8(8), payload };
    }
  }

  /** True when the stream may end here. */
  get isBetweenFrames(): boolean {
    return this.#held === 0;
  }

  /** Returns the length of the next frame once it is complete. */
  #nextLength(): number | undefined {
    if (this.#held < LENGTH_BYTES) return undefined;
    const length = firstBytes(this.#rest, LENGTH_BYTES).readUInt32BE();
    if (length < HEAD_BYTES || length > HEAD_BYTES + MAX_FRAME_BYTES) {
      throw new ProtocolError(
        `a frame of ${length} bytes; ${HEAD_BYTES} to ${HEAD_BYTES + MAX_FRAME_BYTES} are allowed`,
      );
    }
    return this.#held >= LENGTH_BYTES + length ? length : undefined;
  }

  #join(): Buffer {
    const [first = Buffer.alloc(0)] = this.#rest;
    return this.#rest.length === 1 ? first : Buffer.concat(this.#rest);
  }
}

function firstBytes(chunks: readonly Buffer[], count: number): Buffer {
  const bytes = Buffer.alloc(count);
  let length = 0;
  for (const chunk of chunks) {
    length += chunk.copy(bytes, length);
    if (length === count) break;
  }
  return bytes;
}

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
