import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedState } from './parsed-state.ts';

/** A stake account; amounts and epochs of the delegation as text, as nodes write them. */
export function parseStake(data: Uint8Array): ParsedState | undefined {
  return decodeBytes(data, (reader) => reader.oneOf(reader.u32(), STATES)(reader));
}

const STATES: readonly ((reader: ByteReader) => ParsedState)[] = [
  () => ({ type: 'uninitialized' }),
  (reader) => ({ type: 'initialized', info: { meta: readMeta(reader), stake: null } }),
  (reader) => ({ type: 'delegated', info: { meta: readMeta(reader), stake: readStake(reader) } }),
  () => ({ type: 'rewardsPool' }),
];

function readMeta(reader: ByteReader) {
  return {
    rentExemptReserve: reader.u64().toString(),
    authorized: { staker: reader.address(), withdrawer: reader.address() },
    lockup: { unixTimestamp: reader.i64(), epoch: reader.u64(), custodian: reader.address() },
  };
}

function readStake(reader: ByteReader) {
  const delegation = {
    voter: reader.address(),
    stake: reader.u64().toString(),
    activationEpoch: reader.u64().toString(),
    deactivationEpoch: reader.u64().toString(),
  };
  reader.bytes(8); // the warmup rate, not shown since version 4.2
  return { delegation, creditsObserved: reader.u64() };
}
