import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import * as sysvars from '../../addresses/sysvar-addresses.ts';
import type { JsonValue, ParsedState } from './parsed-state.ts';

/** Number of slots in the history. */
const MAX_ENTRIES = 1_048_576;

/** The slot history sysvar: a bit vector of 64-bit blocks, written as one digit per slot. */
function readSlotHistory(reader: ByteReader) {
  const blocks = reader.option(() => reader.list(reader.u64(), () => reader.u64())) ?? [];
  if (reader.u64() < BigInt(MAX_ENTRIES)) reader.reject();
  if (blocks.length * 64 < MAX_ENTRIES) reader.reject();
  const bits = blocks.map(digits).join('').slice(0, MAX_ENTRIES);
  return { nextSlot: reader.u64(), bits };
}

/** The bits of a block from the lowest up. */
function digits(block: bigint): string {
  return [...block.toString(2).padStart(64, '0')].reverse().join('');
}

type Sysvar = { readonly type: string; readonly read: (reader: ByteReader) => JsonValue };

/** Parses a sysvar account by its address; undefined if it has no parsed form. */
export function parseSysvar(address: string, data: Uint8Array): ParsedState | undefined {
  const sysvar = SYSVARS.get(address);
  if (sysvar === undefined) return undefined;
  const info = decodeBytes(data, sysvar.read);
  return info === undefined ? undefined : { type: sysvar.type, info };
}

const SYSVARS: ReadonlyMap<string, Sysvar> = new Map([
  [sysvars.SYSVAR_CLOCK, { type: 'clock', read: readClock }],
  [sysvars.SYSVAR_EPOCH_REWARDS, { type: 'epochRewards', read: readEpochRewards }],
  [sysvars.SYSVAR_EPOCH_SCHEDULE, { type: 'epochSchedule', read: readEpochSchedule }],
  [sysvars.SYSVAR_FEES, { type: 'fees', read: (reader) => ({ feeCalculator: readFeeCalculator(reader) }) }],
  [
    sysvars.SYSVAR_LAST_RESTART_SLOT,
    { type: 'lastRestartSlot', read: (reader) => ({ lastRestartSlot: reader.u64() }) },
  ],
  [sysvars.SYSVAR_RECENT_BLOCKHASHES, { type: 'recentBlockhashes', read: readRecentBlockhashes }],
  [sysvars.SYSVAR_RENT, { type: 'rent', read: readRent }],
  [
    sysvars.SYSVAR_REWARDS,
    { type: 'rewards', read: (reader) => ({ validatorPointValue: reader.finiteF64() }) },
  ],
  [sysvars.SYSVAR_SLOT_HASHES, { type: 'slotHashes', read: readSlotHashes }],
  [sysvars.SYSVAR_SLOT_HISTORY, { type: 'slotHistory', read: readSlotHistory }],
  [sysvars.SYSVAR_STAKE_HISTORY, { type: 'stakeHistory', read: readStakeHistory }],
]);

function readClock(reader: ByteReader) {
  return {
    slot: reader.u64(),
    epochStartTimestamp: reader.i64(),
    epoch: reader.u64(),
    leaderScheduleEpoch: reader.u64(),
    unixTimestamp: reader.i64(),
  };
}

function readEpochRewards(reader: ByteReader) {
  return {
    distributionStartingBlockHeight: reader.u64(),
    numPartitions: reader.u64(),
    parentBlockhash: reader.address(),
    totalPoints: reader.u128().toString(),
    totalRewards: reader.u64().toString(),
    distributedRewards: reader.u64().toString(),
    active: reader.bool(),
  };
}

function readEpochSchedule(reader: ByteReader) {
  return {
    slotsPerEpoch: reader.u64(),
    leaderScheduleSlotOffset: reader.u64(),
    warmup: reader.bool(),
    firstNormalEpoch: reader.u64(),
    firstNormalSlot: reader.u64(),
  };
}

function readFeeCalculator(reader: ByteReader) {
  return { lamportsPerSignature: reader.u64().toString() };
}

function readRecentBlockhashes(reader: ByteReader) {
  return reader.list(reader.u64(), () => ({
    blockhash: reader.address(),
    feeCalculator: readFeeCalculator(reader),
  }));
}

/** Rent per byte including the exemption threshold (SIMD-0194); if the two are separate, the form of nodes before 4.1. */
function readRent(reader: ByteReader) {
  const rate = reader.u64().toString();
  const exemptionThreshold = reader.finiteF64();
  const burnPercent = reader.u8();
  if (exemptionThreshold === 1) return { lamportsPerByte: rate };
  return { lamportsPerByteYear: rate, exemptionThreshold, burnPercent };
}

function readSlotHashes(reader: ByteReader) {
  return reader.list(reader.u64(), () => ({ slot: reader.u64(), hash: reader.address() }));
}

function readStakeHistory(reader: ByteReader) {
  return reader.list(reader.u64(), () => ({
    epoch: reader.u64(),
    stakeHistory: { effective: reader.u64(), activating: reader.u64(), deactivating: reader.u64() },
  }));
}
