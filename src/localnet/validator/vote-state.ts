import { base58 } from '@scure/base';
import type { EpochSchedule } from '../epoch/epoch.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

export const VOTE_ACCOUNT_BYTES = 3_762;
const VERSION_4 = 3;
/** Votes of a tower; an older one is the root. */
export const MAX_LOCKOUTS = 31n;
/** A vote that lands in the next slot earns the maximum credits when its slot is rooted (SIMD-0033). */
const CREDITS_PER_SLOT = 16n;
const VOTE_LATENCY = 1;
const MAX_EPOCHS_OF_CREDITS = 64n;

/**
 * The votes of the ledger's one validator in the bank of `slot`. It votes for every slot in the next one, so all of it follows from the
 * slot number, as vote transactions would have it.
 */
export type VoteRecord = {
  /** Newest slot voted for; also 0 before the first vote. */
  readonly lastVote: bigint;
  /** Newest slot with 31 later votes; null before there is one. */
  readonly root: bigint | null;
  /** Oldest first: slot, and votes on top of it. */
  readonly lockouts: readonly { readonly slot: bigint; readonly confirmations: number }[];
  /** Oldest first: epoch, credits at its end or now, credits before it. */
  readonly epochCredits: readonly (readonly [bigint, bigint, bigint])[];
};

/** Returns the validator's votes in the bank of a slot; slot 0 is the first one voted for. */
export function voteRecord(slot: bigint, epochs: EpochSchedule): VoteRecord {
  const lastVote = slot === 0n ? 0n : slot - 1n;
  const oldest = slot > MAX_LOCKOUTS ? slot - MAX_LOCKOUTS : 0n;
  const lockouts = [];
  for (let voted = oldest; voted < slot; voted++)
    lockouts.push({ slot: voted, confirmations: Number(slot - voted) });
  const newest = epochs.epochOf(slot);
  const first = newest >= MAX_EPOCHS_OF_CREDITS ? newest - MAX_EPOCHS_OF_CREDITS + 1n : 0n;
  const epochCredits: (readonly [bigint, bigint, bigint])[] = [];
  for (let epoch = first; epoch <= newest; epoch++) epochCredits.push(creditsOf(epochs, epoch, slot));
  return { lastVote, root: slot > MAX_LOCKOUTS ? oldest - 1n : null, lockouts, epochCredits };
}

/** Returns the vote account's data (VoteStateV4) in the bank of `slot`. `lastTime` is the Unix time of the newest slot voted for. */
export function voteAccountData(
  identity: string,
  voteAddress: string,
  slot: bigint,
  lastTime: bigint,
  epochs: EpochSchedule,
): Uint8Array {
  const { lastVote, root, lockouts, epochCredits } = voteRecord(slot, epochs);
  const node = base58.decode(identity);
  const vote = base58.decode(voteAddress);
  const writer = new ByteWriter(VOTE_ACCOUNT_BYTES).u32(VERSION_4).put(node).put(node).put(vote).put(node);
  const noCommission = new Uint8Array(4);
  writer.put(noCommission).u64(0n).u8(0).u64(BigInt(lockouts.length));
  for (const { slot: voted, confirmations } of lockouts)
    writer.u8(VOTE_LATENCY).u64(voted).u32(confirmations);
  if (root === null) writer.u8(0);
  else writer.u8(1).u64(root);
  writer.u64(1n).u64(epochs.epochOf(slot)).put(node).u64(BigInt(epochCredits.length));
  for (const [epoch, credits, before] of epochCredits) writer.u64(epoch).u64(credits).u64(before);
  return writer.u64(lastVote).i64(lastTime).bytes;
}

function creditsOf(epochs: EpochSchedule, epoch: bigint, slot: bigint): readonly [bigint, bigint, bigint] {
  const end = epochs.firstSlot(epoch + 1n) - 1n;
  const before = epoch === 0n ? 0n : creditsAt(epochs.firstSlot(epoch) - 1n);
  return [epoch, creditsAt(slot < end ? slot : end), before];
}

function creditsAt(slot: bigint): bigint {
  return slot > MAX_LOCKOUTS ? (slot - MAX_LOCKOUTS) * CREDITS_PER_SLOT : 0n;
}
