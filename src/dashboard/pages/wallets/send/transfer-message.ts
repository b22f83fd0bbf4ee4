/** A transfer of lamports by the system program. Addresses and blockhash are 32 bytes each. */
export type Transfer = {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly blockhash: Uint8Array;
  readonly lamports: bigint;
};

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** One signer that is writable, no other signers, one read-only account: the program. */
const HEADER = [1, 0, 1];
/** Position of the system program, whose address is all zeros, among the keys. */
const PROGRAM_INDEX = 2;
const SYSTEM_PROGRAM = new Uint8Array(KEY_BYTES);
/** Variant of the system program's instruction that transfers, as u32. */
const TRANSFER = 2;
const DATA_BYTES = 12;

/**
 * Returns the bytes of a legacy message that transfers lamports; they are what the sender signs. The sender pays the fee. Every
 * length in it is below 128, which is one byte.
 */
export function transferMessage({ from, to, blockhash, lamports }: Transfer): Uint8Array<ArrayBuffer> {
  const data = new DataView(new ArrayBuffer(DATA_BYTES));
  data.setUint32(0, TRANSFER, true);
  data.setBigUint64(4, lamports, true);
  const keys = [from, to, SYSTEM_PROGRAM];
  const instruction = [PROGRAM_INDEX, 2, 0, 1, DATA_BYTES, ...new Uint8Array(data.buffer)];
  return Uint8Array.from([
    ...HEADER,
    keys.length,
    ...keys.flatMap((key) => [...key]),
    ...blockhash,
    1,
    ...instruction,
  ]);
}

/** Returns the bytes of a transaction with one signature. */
export function signedTransaction(message: Uint8Array, signature: Uint8Array): Uint8Array<ArrayBuffer> {
  if (signature.length !== SIGNATURE_BYTES) throw new RangeError('a signature has 64 bytes');
  return Uint8Array.from([1, ...signature, ...message]);
}

/** Returns the base-64 text of bytes, padded. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
