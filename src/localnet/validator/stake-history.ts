import { ByteWriter } from '../bytes/byte-writer.ts';

/** Lamports of all delegations together in one epoch. */
export type StakeTotals = {
  readonly effective: bigint;
  readonly activating: bigint;
  readonly deactivating: bigint;
};

/** The known totals of past epochs. */
export type StakeHistory = ReadonlyMap<bigint, StakeTotals>;

/** Epochs that the sysvar holds. */
export const MAX_ENTRIES = 512n;
const HEAD_BYTES = 8;
const ENTRY_BYTES = 32;
const SIZE_BYTES = HEAD_BYTES + Number(MAX_ENTRIES) * ENTRY_BYTES;

/** Reads the stake history sysvar; undefined data is an empty history. */
export function readStakeHistory(data: Uint8Array | undefined): StakeHistory {
  const history = new Map<bigint, StakeTotals>();
  if (data?.length !== SIZE_BYTES) return history;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const count = Math.min(Number(view.getBigUint64(0, true)), Number(MAX_ENTRIES));
  for (let index = 0; index < count; index++) {
    const at = HEAD_BYTES + index * ENTRY_BYTES;
    const [effective, activating, deactivating] = [8, 16, 24].map((offset) =>
      view.getBigUint64(at + offset, true),
    );
    if (effective === undefined || activating === undefined || deactivating === undefined) continue;
    history.set(view.getBigUint64(at, true), { effective, activating, deactivating });
  }
  return history;
}

/** Returns the data of the sysvar for a history: newest epoch first, at the size that a validator allocates. */
export function stakeHistoryData(history: StakeHistory): Uint8Array {
  const newestFirst = [...history].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, Number(MAX_ENTRIES));
  const writer = new ByteWriter(SIZE_BYTES).u64(BigInt(newestFirst.length));
  for (const [epoch, { effective, activating, deactivating }] of newestFirst)
    writer.u64(epoch).u64(effective).u64(activating).u64(deactivating);
  return writer.bytes;
}

/**
 * Returns the history of a ledger that starts in an epoch: this stake, all of it effective, in as many epochs as the sysvar holds. The
 * stake program fails on a history with a hole.
 */
export function initialStakeHistory(epoch: bigint, effective: bigint): StakeHistory {
  const oldest = epoch > MAX_ENTRIES ? epoch - MAX_ENTRIES : 0n;
  const history = new Map<bigint, StakeTotals>();
  for (let past = oldest; past < epoch; past++)
    history.set(past, { effective, activating: 0n, deactivating: 0n });
  return history;
}
