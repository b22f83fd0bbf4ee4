import { ByteWriter } from '../bytes/byte-writer.ts';

/** A closed slot on which later ones are built, with all that they need of the chain before them. Times in Unix seconds. */
export type ChainBase = {
  readonly slot: bigint;
  readonly blockhash: Uint8Array;
  readonly time: bigint;
  /** Since genesis, including this slot. */
  readonly transactionCount: number;
  /** Start of the epoch of this slot. */
  readonly epochStart: bigint;
};

const HASH_BYTES = 32;
const BASE_BYTES = 8 + HASH_BYTES + 8 + 8 + 8;

/** Returns the bytes of a base. */
export function baseBytes({ slot, blockhash, time, transactionCount, epochStart }: ChainBase): Uint8Array {
  const writer = new ByteWriter(BASE_BYTES).u64(slot).put(blockhash).i64(time);
  return writer.u64(BigInt(transactionCount)).i64(epochStart).bytes;
}

/** Reads a base; undefined: the bytes are not a base. */
export function readBase(bytes: Buffer | undefined): ChainBase | undefined {
  if (bytes?.length !== BASE_BYTES) return undefined;
  const at = 8 + HASH_BYTES;
  return {
    slot: bytes.readBigUInt64LE(0),
    blockhash: Uint8Array.from(bytes.subarray(8, at)),
    time: bytes.readBigInt64LE(at),
    transactionCount: Number(bytes.readBigUInt64LE(at + 8)),
    epochStart: bytes.readBigInt64LE(at + 16),
  };
}
