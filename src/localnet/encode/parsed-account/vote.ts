import { encodeBase58 } from '../../bytes/base58.ts';
import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedState } from './parsed-state.ts';

type LandedVote = { readonly latency: number; readonly slot: bigint; readonly confirmationCount: number };

/** Size of the ring of prior voters, which nodes no longer show: 32 times a key and two epochs, a position, a flag. */
const PRIOR_VOTERS_BYTES = 32 * (32 + 8 + 8) + 8 + 1;
const BLS_KEY_SIZE = 48;
const BPS_PER_PERCENT = 100;
/** The share of the block revenue that a validator keeps unless its vote account says otherwise. */
const ALL_REVENUE_BPS = 10_000;

/** Parses a vote account in any layout since version 1.14. An older layout is shown as the newest one (SIMD-0185). */
export function parseVote(data: Uint8Array, address: string): ParsedState | undefined {
  const info = readVoteAccount(data, address);
  return info === undefined ? undefined : { type: 'vote', info };
}

/** The content of a vote account. */
export type VoteInfo = ReturnType<typeof readVersion4>;

/** Reads a vote account in any layout since version 1.14; undefined: not a vote account, or not initialized. */
export function readVoteAccount(data: Uint8Array, address: string): VoteInfo | undefined {
  return decodeBytes(data, (reader) => reader.oneOf(reader.u32(), LAYOUTS)(reader, address));
}

const LAYOUTS: readonly ((reader: ByteReader, address: string) => VoteInfo)[] = [
  (reader) => reader.reject(),
  (reader, address) => readVersion3(reader, address, (each) => ({ latency: 0, ...readLockout(each) })),
  (reader, address) => readVersion3(reader, address, readLandedVote),
  readVersion4,
];

function readVersion3(
  reader: ByteReader,
  address: string,
  readVote: (reader: ByteReader) => LandedVote,
): VoteInfo {
  const nodePubkey = reader.address();
  const authorizedWithdrawer = reader.address();
  const commission = reader.u8();
  const votes = readVotes(reader, readVote);
  reader.bytes(PRIOR_VOTERS_BYTES);
  return {
    nodePubkey,
    authorizedWithdrawer,
    commission,
    inflationRewardsCommissionBps: commission * BPS_PER_PERCENT,
    inflationRewardsCollector: address,
    blockRevenueCollector: nodePubkey,
    blockRevenueCommissionBps: ALL_REVENUE_BPS,
    pendingDelegatorRewards: '0',
    blsPubkeyCompressed: null,
    ...votes,
    priorVoters: [],
    ...readCredits(reader),
  };
}

function readVersion4(reader: ByteReader) {
  const nodePubkey = reader.address();
  const authorizedWithdrawer = reader.address();
  const inflationRewardsCollector = reader.address();
  const blockRevenueCollector = reader.address();
  const inflationRewardsCommissionBps = reader.u16();
  return {
    nodePubkey,
    authorizedWithdrawer,
    commission: Math.min(Math.trunc(inflationRewardsCommissionBps / BPS_PER_PERCENT), 255),
    inflationRewardsCommissionBps,
    inflationRewardsCollector,
    blockRevenueCollector,
    blockRevenueCommissionBps: reader.u16(),
    pendingDelegatorRewards: reader.u64().toString(),
    blsPubkeyCompressed: reader.option(() => encodeBase58(reader.bytes(BLS_KEY_SIZE))),
    ...readVotes(reader, readLandedVote),
    priorVoters: [],
    ...readCredits(reader),
  };
}

function readVotes(reader: ByteReader, readVote: (reader: ByteReader) => LandedVote) {
  return {
    votes: reader.list(reader.u64(), () => readVote(reader)),
    rootSlot: reader.option(() => reader.u64()),
    authorizedVoters: reader.list(reader.u64(), () => ({
      epoch: reader.u64(),
      authorizedVoter: reader.address(),
    })),
  };
}

function readLockout(reader: ByteReader) {
  return { slot: reader.u64(), confirmationCount: reader.u32() };
}

function readLandedVote(reader: ByteReader) {
  return { latency: reader.u8(), ...readLockout(reader) };
}

function readCredits(reader: ByteReader) {
  return {
    epochCredits: reader.list(reader.u64(), () => ({
      epoch: reader.u64(),
      credits: reader.u64().toString(),
      previousCredits: reader.u64().toString(),
    })),
    lastTimestamp: { slot: reader.u64(), timestamp: reader.i64() },
  };
}
