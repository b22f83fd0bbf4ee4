import type { EpochSchedule } from '../epoch/epoch.ts';
import type { EpochTimes } from '../epoch/epoch-times.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import { LAMPORTS_PER_SIGNATURE } from '../transaction/fee.ts';
import { base58 } from '@scure/base';

/** Data of the clock sysvar. `time` is in Unix seconds. */
export function clockData(slot: bigint, time: bigint, epochs: EpochSchedule, times: EpochTimes): Uint8Array {
  const epoch = epochs.epochOf(slot);
  return new ByteWriter(40)
    .u64(slot)
    .i64(times.start(epoch))
    .u64(epoch)
    .u64(epochs.leaderScheduleEpoch(slot))
    .i64(time).bytes;
}

/** Data of the epoch schedule sysvar. */
export function epochScheduleData({ lengths }: EpochSchedule): Uint8Array {
  const writer = new ByteWriter(33).u64(lengths.slotsPerEpoch).u64(lengths.leaderScheduleSlotOffset);
  return writer
    .u8(lengths.warmup ? 1 : 0)
    .u64(lengths.firstNormalEpoch)
    .u64(lengths.firstNormalSlot).bytes;
}

const MAX_BLOCKHASHES = 150n;
const BLOCKHASHES_BYTES = 8 + 150 * 40;

/** Data of the recent blockhashes sysvar in the bank of `slot`, newest first. */
export function recentBlockhashesData(blocks: BlockHistory, slot: bigint): Uint8Array {
  const ancestors = [...blocks.ancestors(slot, MAX_BLOCKHASHES)];
  const writer = new ByteWriter(BLOCKHASHES_BYTES).u64(BigInt(ancestors.length));
  for (const ancestor of ancestors) writer.put(blocks.blockhashBytes(ancestor)).u64(LAMPORTS_PER_SIGNATURE);
  return writer.bytes;
}

const MAX_HASHES = 512n;
const HASHES_BYTES = 8 + 512 * 40;

/** Data of the slot hashes sysvar in the bank of `slot`: its ancestors, newest first. The hash is the blockhash. */
export function slotHashesData(blocks: BlockHistory, slot: bigint): Uint8Array {
  const ancestors = [...blocks.ancestors(slot, MAX_HASHES)];
  const writer = new ByteWriter(HASHES_BYTES).u64(BigInt(ancestors.length));
  for (const ancestor of ancestors) writer.u64(ancestor).put(blocks.blockhashBytes(ancestor));
  return writer.bytes;
}

const MAX_SLOTS = 1_048_576n;
const WORDS = MAX_SLOTS / 64n;
const HEAD_BYTES = 1 + 8;
const ALL_BITS = 2n ** 64n - 1n;

/** Data of the slot history sysvar in the bank of `slot`: one bit per slot, set for all that have a block. */
export function slotHistoryData(slot: bigint, skipped: BlockHistory['skipped']): Uint8Array {
  const writer = new ByteWriter(HEAD_BYTES + Number(WORDS) * 8 + 8 + 8).u8(1).u64(WORDS);
  for (let word = 0n; word < WORDS; word++) writer.u64(wordBits(word, slot));
  const { bytes } = writer.u64(MAX_SLOTS).u64(slot + 1n);
  const oldest = slot < MAX_SLOTS ? 0n : slot - MAX_SLOTS + 1n;
  for (const { first, end } of skipped.within(oldest, slot)) clearBits(bytes, first, end);
  return bytes;
}

function wordBits(word: bigint, slot: bigint): bigint {
  if (slot >= MAX_SLOTS || slot >= word * 64n + 63n) return ALL_BITS;
  return slot < word * 64n ? 0n : 2n ** (slot - word * 64n + 1n) - 1n;
}

/** A ring of bits: a slot's bit is at the slot modulo their number. */
function clearBits(bytes: Uint8Array, first: bigint, end: bigint): void {
  const start = Number(first % MAX_SLOTS);
  const length = Number(end - first);
  for (let offset = 0; offset < length; offset++) {
    const bit = (start + offset) % Number(MAX_SLOTS);
    const at = HEAD_BYTES + (bit >> 3);
    bytes[at] = (bytes[at] ?? 0) & ~(1 << (bit & 7));
  }
}

/** The rewards of an epoch that are paid by the blocks of the next one (SIMD-0118). Amounts are lamports. */
export type EpochRewards = {
  /** Height of the first block that pays stake accounts. */
  readonly startHeight: bigint;
  /** Number of blocks that pay them. */
  readonly partitions: bigint;
  /** Blockhash of the last block before the epoch, in base-58. */
  readonly parentBlockhash: string;
  readonly points: bigint;
  readonly total: bigint;
  readonly distributed: bigint;
  /** True while payments to stake accounts are due: their program refuses changes. */
  readonly isActive: boolean;
};

const REWARDS_BYTES = 81;
const DISTRIBUTED_OFFSET = 72;
const ACTIVE_OFFSET = 80;

/** Returns the data of the sysvar. */
export function epochRewardsData(rewards: EpochRewards): Uint8Array {
  const { startHeight, partitions, parentBlockhash, points, total, distributed, isActive } = rewards;
  return new ByteWriter(REWARDS_BYTES)
    .u64(startHeight)
    .u64(partitions)
    .put(base58.decode(parentBlockhash))
    .u64(BigInt.asUintN(64, points))
    .u64(points >> 64n)
    .u64(total)
    .u64(distributed)
    .u8(isActive ? 1 : 0).bytes;
}

/** Returns the data after the last payment, of this many lamports: nothing is due any more. */
export function withLastPayment(data: Uint8Array, lamports: bigint): Uint8Array {
  const paid = Uint8Array.from(data);
  const view = new DataView(paid.buffer);
  view.setBigUint64(DISTRIBUTED_OFFSET, view.getBigUint64(DISTRIBUTED_OFFSET, true) + lamports, true);
  paid[ACTIVE_OFFSET] = 0;
  return paid;
}
