import type { TransactionConfig } from './message.ts';
import { MalformedBytes, type WireReader } from './wire-reader.ts';

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
