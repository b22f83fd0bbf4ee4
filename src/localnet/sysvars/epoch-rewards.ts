import { base58 } from '@scure/base';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** The rewards of an epoch that are paid by the blocks of the next one (SIMD-0118). Amounts are lamports. */
export type EpochRewards = {
  /** Height of the first block that pays stake accounts. */
  readonly startHeight: bigint;
  /** Number of blocks that pay them. */
  readonly partitions: bigint;
  /** Of the block before the epoch, in base 58. */
  readonly parentBlockhash: string;
  readonly points: bigint;
  readonly total: bigint;
  readonly distributed: bigint;
  /** True while stake accounts are still to be paid: their program refuses changes. */
  readonly isActive: boolean;
};

const BYTES = 81;
const DISTRIBUTED_OFFSET = 72;
const ACTIVE_OFFSET = 80;

/** Returns the data of the sysvar. */
export function epochRewardsData(rewards: EpochRewards): Uint8Array {
  const { startHeight, partitions, parentBlockhash, points, total, distributed, isActive } = rewards;
  return new ByteWriter(BYTES)
    .u64(startHeight)
    .u64(partitions)
    .put(base58.decode(parentBlockhash))
    .u64(BigInt.asUintN(64, points))
    .u64(points >> 64n)
    .u64(total)
    .u64(distributed)
    .u8(isActive ? 1 : 0).bytes;
}

/** Returns the data after the last payment, of so many lamports: nothing is due any more. */
export function withLastPayment(data: Uint8Array, lamports: bigint): Uint8Array {
  const paid = Uint8Array.from(data);
  const view = new DataView(paid.buffer);
  view.setBigUint64(DISTRIBUTED_OFFSET, view.getBigUint64(DISTRIBUTED_OFFSET, true) + lamports, true);
  paid[ACTIVE_OFFSET] = 0;
  return paid;
}
