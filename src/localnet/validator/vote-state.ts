import { base58 } from '@scure/base';
import type { EpochSchedule } from '../epoch/epoch.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Consensus } from '../consensus.ts';
import type { Genesis } from '../genesis/genesis.ts';
import { BLS_PUBLIC_KEY } from './genesis-certificate.ts';
import type { LedgerState } from '../ledger-state.ts';

export const VOTE_ACCOUNT_BYTES = 3_762;
const VERSION_4 = 3;
/** Votes of a tower; an older one is the root. */
export const MAX_LOCKOUTS = 31n;
/** A vote that lands in the next slot earns the maximum credits when its slot is rooted (SIMD-0033). */
const CREDITS_PER_SLOT = 16n;
const VOTE_LATENCY = 1;
/** Under Alpenglow a slot is rewarded this many slots later (agave, `NUM_SLOTS_FOR_REWARD`). */
const REWARD_DELAY = 8n;
const MAX_EPOCHS_OF_CREDITS = 64n;

/**
 * The votes of the ledger's one validator in the bank of `slot`. It votes for every slot in the next one, so all of it follows from the
 * slot number, as vote transactions would have it; or as a bank under Alpenglow writes it, whose newest finalized slot is both the only vote and
 * the root (agave, `update_vote_state`).
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
export function voteRecord(slot: bigint, epochs: EpochSchedule, consensus: Consensus): VoteRecord {
  const depth = consensus === 'alpenglow' ? 1n : MAX_LOCKOUTS;
  const lastVote = slot === 0n ? 0n : slot - 1n;
  const oldest = slot > depth ? slot - depth : 0n;
  const lockouts = [];
  for (let voted = oldest; voted < slot; voted++)
    lockouts.push({ slot: voted, confirmations: Number(slot - voted) });
  const newest = epochs.epochOf(slot);
  const first = newest >= MAX_EPOCHS_OF_CREDITS ? newest - MAX_EPOCHS_OF_CREDITS + 1n : 0n;
  const epochCredits: (readonly [bigint, bigint, bigint])[] = [];
  for (let epoch = first; epoch <= newest; epoch++)
    epochCredits.push(creditsOf(epochs, epoch, slot, consensus));
  const root = consensus === 'alpenglow' ? lastVote : oldest - 1n;
  return { lastVote, root: slot >= depth && root >= 0n ? root : null, lockouts, epochCredits };
}

export type VoteAccountParts = {
  readonly genesis: Pick<Genesis, 'identity' | 'voteAddress'>;
  readonly consensus: Consensus;
  readonly slot: bigint;
  /** The Unix time of the newest slot voted for. */
  readonly lastTime: bigint;
  readonly epochs: EpochSchedule;
};

/** Returns the vote account's data (VoteStateV4) in the bank of `slot`. */
export function voteAccountData({
  genesis,
  consensus,
  slot,
  lastTime,
  epochs,
}: VoteAccountParts): Uint8Array {
  const { lastVote, root, lockouts, epochCredits } = voteRecord(slot, epochs, consensus);
  const isAlpenglow = consensus === 'alpenglow';
  const node = base58.decode(genesis.identity.address);
  const vote = base58.decode(genesis.voteAddress);
  const writer = new ByteWriter(VOTE_ACCOUNT_BYTES).u32(VERSION_4).put(node).put(node).put(vote).put(node);
  const noCommission = new Uint8Array(4);
  writer.put(noCommission).u64(0n);
  if (isAlpenglow) writer.u8(1).put(BLS_PUBLIC_KEY);
  else writer.u8(0);
  writer.u64(BigInt(lockouts.length));
  for (const { slot: voted, confirmations } of lockouts)
    writer
      .u8(isAlpenglow ? 0 : VOTE_LATENCY)
      .u64(voted)
      .u32(confirmations);
  if (root === null) writer.u8(0);
  else writer.u8(1).u64(root);
  writer.u64(1n).u64(epochs.epochOf(slot)).put(node).u64(BigInt(epochCredits.length));
  for (const [epoch, credits, before] of epochCredits) writer.u64(epoch).u64(credits).u64(before);
  // Votes under Alpenglow carry no time.
  return isAlpenglow ? writer.bytes : writer.u64(lastVote).i64(lastTime).bytes;
}

function creditsOf(
  epochs: EpochSchedule,
  epoch: bigint,
  slot: bigint,
  consensus: Consensus,
): readonly [bigint, bigint, bigint] {
  const delay = consensus === 'alpenglow' ? REWARD_DELAY : MAX_LOCKOUTS;
  const creditsAt = (at: bigint): bigint => (at > delay ? (at - delay) * CREDITS_PER_SLOT : 0n);
  const end = epochs.firstSlot(epoch + 1n) - 1n;
  const before = epoch === 0n ? 0n : creditsAt(epochs.firstSlot(epoch) - 1n);
  return [epoch, creditsAt(slot < end ? slot : end), before];
}

type VotingLedger = Pick<LedgerState, 'accounts' | 'bank' | 'blocks'> & {
  readonly epochs: EpochSchedule;
  readonly genesis: Genesis;
  readonly votes: boolean;
};

/**
 * Gives the vote account of a ledger that votes by transactions the state that votes for all slots before the open one would have left. The
 * empty slots at the start hold no votes.
 */
export function countEarlierVotes({ accounts, bank, blocks, epochs, genesis, votes }: VotingLedger): void {
  const { openSlot } = blocks;
  const { voteAddress } = genesis;
  const account = accounts.read(voteAddress, openSlot);
  if (!votes || account === undefined) return;
  const lastTime = blocks.time(openSlot - 1n);
  const data = voteAccountData({ genesis, consensus: 'tower', slot: openSlot, lastTime, epochs });
  bank.write(voteAddress, { ...account, data }, openSlot);
}
