import { createBase58Encoder } from '../../keys/base58.ts';

/** What the wire form of a transaction says without its instructions. */
export type WireTransaction = {
  /** The first one, base-58. */
  readonly signature: string;
  /** Base-58, in the order of the message. */
  readonly accounts: readonly {
    readonly address: string;
    readonly isSigner: boolean;
    readonly isWritable: boolean;
  }[];
};

/** A transaction in a form that is not known here, or cut off. */
export class UnreadableTransaction extends Error {
  override readonly name = 'UnreadableTransaction';
}

const VERSION_BIT = 0x80;
const VERSION_1 = 0x81;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Of version 1: the mask of its configuration, the lifetime, and the number of instructions stand before the number of keys. */
const VERSION_1_SKIPPED_BYTES = 4 + 32 + 1;

/**
 * Reads signature and accounts of a transaction: legacy, version 0, or version 1 (SIMD-0385), whose signatures come last.
 *
 * @throws UnreadableTransaction.
 */
export function readWire(wire: Buffer): WireTransaction {
  return wire[0] === VERSION_1 ? readVersion1(wire) : readSignedMessage(wire);
}

function readSignedMessage(wire: Buffer): WireTransaction {
  const signatures = readLength(wire, 0);
  const messageAt = signatures.end + signatures.value * SIGNATURE_BYTES;
  const first = byteAt(wire, messageAt);
  if (first > VERSION_BIT) throw new UnreadableTransaction(`message version ${first & ~VERSION_BIT}`);
  const headerAt = first === VERSION_BIT ? messageAt + 1 : messageAt;
  const keys = readLength(wire, headerAt + 3);
  if (signatures.value === 0) throw new UnreadableTransaction('there is no signature');
  return {
    signature: encode(slice(wire, signatures.end, SIGNATURE_BYTES)),
    accounts: readAccounts(wire, headerAt, { count: keys.value, at: keys.end }),
  };
}

function readVersion1(wire: Buffer): WireTransaction {
  const countAt = 1 + 3 + VERSION_1_SKIPPED_BYTES;
  const keys = { count: byteAt(wire, countAt), at: countAt + 1 };
  const signaturesAt = wire.length - byteAt(wire, 1) * SIGNATURE_BYTES;
  return {
    signature: encode(slice(wire, signaturesAt, SIGNATURE_BYTES)),
    accounts: readAccounts(wire, 1, keys),
  };
}

/** The header says how many keys sign, and how many of each kind are only read. */
function readAccounts(wire: Buffer, headerAt: number, keys: { readonly count: number; readonly at: number }) {
  const signers = byteAt(wire, headerAt);
  const writableSigners = signers - byteAt(wire, headerAt + 1);
  const writableEnd = keys.count - byteAt(wire, headerAt + 2);
  return Array.from({ length: keys.count }, (_, index) => {
    const isSigner = index < signers;
    const isWritable = isSigner ? index < writableSigners : index < writableEnd;
    return { address: encode(slice(wire, keys.at + index * KEY_BYTES, KEY_BYTES)), isSigner, isWritable };
  });
}

/** A length in 7-bit groups, the lowest first, of at most three bytes (compact-u16). */
function readLength(wire: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let place = 0; place < 3; place++) {
    const byte = byteAt(wire, at + place);
    value |= (byte & 0x7f) << (7 * place);
    if ((byte & 0x80) === 0) return { value, end: at + place + 1 };
  }
  throw new UnreadableTransaction('a length has more than three bytes');
}

function byteAt(wire: Buffer, at: number): number {
  const byte = wire[at];
  if (byte === undefined) throw new UnreadableTransaction('it is cut off');
  return byte;
}

function slice(wire: Buffer, at: number, sizeBytes: number): Buffer {
  if (at < 0 || at + sizeBytes > wire.length) throw new UnreadableTransaction('it is cut off');
  return wire.subarray(at, at + sizeBytes);
}

const KEY_ENCODER = createBase58Encoder(KEY_BYTES);
const SIGNATURE_ENCODER = createBase58Encoder(SIGNATURE_BYTES);
const DIGITS = Buffer.alloc(SIGNATURE_ENCODER.maxDigits);

function encode(bytes: Buffer): string {
  const encoder = bytes.length === KEY_BYTES ? KEY_ENCODER : SIGNATURE_ENCODER;
  return DIGITS.toString('latin1', 0, encoder.writeInto(DIGITS, 0, bytes));
}
