import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The fastest quality: a block of 5 MB takes 50 ms off the main thread, and shrinks to half. */
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 1 };
/** The main thread is called for each piece of the output, 16 KiB by default. */
const [MIN_PIECE_BYTES, MAX_PIECE_BYTES] = [2 ** 14, 2 ** 22];
const PACKED_SHARE = 0.5;
const UNPACKED_TIMES = 4;

/** Packs a node's reply of a block. */
export const packBlock = (reply: Buffer): Promise<Buffer> =>
  compress(reply, { params: PARAMS, chunkSize: pieceOf(reply.length * PACKED_SHARE) });

/** Unpacks it. @throws Error if it is not packed, or larger than `maxBytes`. */
export const unpackBlock = (packed: Buffer, maxBytes: number): Promise<Buffer> =>
  decompress(packed, { maxOutputLength: maxBytes, chunkSize: pieceOf(packed.length * UNPACKED_TIMES) });

function pieceOf(bytes: number): number {
  return Math.ceil(Math.min(Math.max(bytes, MIN_PIECE_BYTES), MAX_PIECE_BYTES));
}
