import type { MessageVersion, TransactionConfig } from './message.ts';
import { WireReader, MalformedBytes } from './wire-reader.ts';

/** Offsets in bytes of the parts of a transaction in its wire form. */
export type TransactionLayout = {
  readonly version: MessageVersion;
  readonly signatureCount: number;
  readonly signaturesAt: number;
  /** Three counts: keys that sign, those of them that are read-only, and the others that are read-only. */
  readonly headerAt: number;
  readonly keyCount: number;
  readonly keysAt: number;
  /** The recent blockhash, or the nonce in its place. */
  readonly lifetimeAt: number;
  /** Set for version 1 only. */
  readonly config?: TransactionConfig;
};

const VERSION_BIT = 0x80;
const VERSION_1_BYTE = VERSION_BIT | 1;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

/**
 * Finds the parts of a transaction without decoding its instructions: legacy, version 0, or version 1, whose signatures come last. Returns
 * undefined for another version.
 *
 * @throws MalformedBytes if the bytes end early.
 */
export function layoutOf(wire: Uint8Array): TransactionLayout | undefined {
  const reader = new WireReader(wire);
  const first = reader.peek();
  if (first === VERSION_1_BYTE) return layoutOfVersion1(reader);
  return (first & VERSION_BIT) === 0 ? layoutOfOlder(reader) : undefined;
}

function layoutOfOlder(reader: WireReader): TransactionLayout | undefined {
  const signatureCount = reader.u8();
  const signaturesAt = reader.offset;
  reader.skip(signatureCount * SIGNATURE_BYTES);
  const mark = reader.peek();
  if (mark > VERSION_BIT) return undefined;
  if (mark === VERSION_BIT) reader.u8();
  const headerAt = reader.offset;
  reader.skip(3);
  const keyCount = reader.length();
  const keysAt = reader.offset;
  reader.skip(keyCount * KEY_BYTES);
  const version = mark === VERSION_BIT ? 0 : 'legacy';
  const keys = { keyCount, keysAt, lifetimeAt: reader.offset };
  reader.skip(KEY_BYTES);
  return { version, signatureCount, signaturesAt, headerAt, ...keys };
}

function layoutOfVersion1(reader: WireReader): TransactionLayout {
  reader.u8();
  const headerAt = reader.offset;
  const signatureCount = reader.u8();
  reader.skip(2);
  const mask = reader.u32();
  assertConfigMask(mask);
  const lifetimeAt = reader.offset;
  reader.skip(KEY_BYTES);
  const [instructionCount, keyCount] = [reader.u8(), reader.u8()];
  const keysAt = reader.offset;
  reader.skip(keyCount * KEY_BYTES);
  const config = readConfigValues(reader, mask);
  reader.skip(payloadBytes(reader, instructionCount));
  const signaturesAt = reader.offset;
  reader.skip(signatureCount * SIGNATURE_BYTES);
  return { version: 1, signatureCount, signaturesAt, headerAt, keyCount, keysAt, lifetimeAt, config };
}

/** Reads the headers of the instructions; returns the size of the payloads that follow. */
function payloadBytes(reader: WireReader, instructionCount: number): number {
  let total = 0;
  for (let index = 0; index < instructionCount; index++) {
    reader.skip(1);
    total += reader.u8() + reader.u16();
  }
  return total;
}

/** Bits of the mask of the values that a version 1 message sets (SIMD-0385); the priority fee has two, both or neither. */
const PRIORITY_FEE = 0b11;
const COMPUTE_UNIT_LIMIT = 0b100;
const LOADED_ACCOUNTS_DATA_SIZE = 0b1000;
const HEAP_SIZE = 0b1_0000;
const KNOWN = PRIORITY_FEE | COMPUTE_UNIT_LIMIT | LOADED_ACCOUNTS_DATA_SIZE | HEAP_SIZE;

/**
 * Refuses a mask with undefined bits, or with half of the priority fee.
 *
 * @throws MalformedBytes.
 */
export function assertConfigMask(mask: number): void {
  const fee = mask & PRIORITY_FEE;
  if ((mask & ~KNOWN) !== 0 || (fee !== 0 && fee !== PRIORITY_FEE))
    throw new MalformedBytes('Invalid value: invalid transaction config mask');
}

/** Reads the values in the mask, in the order of its bits. */
export function readConfigValues(reader: WireReader, mask: number): TransactionConfig {
  return {
    priorityFee: (mask & PRIORITY_FEE) === 0 ? null : reader.u64(),
    computeUnitLimit: (mask & COMPUTE_UNIT_LIMIT) === 0 ? null : reader.u32(),
    loadedAccountsDataSizeLimit: (mask & LOADED_ACCOUNTS_DATA_SIZE) === 0 ? null : reader.u32(),
    heapSize: (mask & HEAP_SIZE) === 0 ? null : reader.u32(),
  };
}
