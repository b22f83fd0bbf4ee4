import { encodeBase58 } from '../../bytes/base58.ts';
import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { ParsedState } from './parsed-state.ts';

type Lockout = { readonly slot: bigint; readonly confirmationCount: number };

const PRIOR_VOTERS = 32;
const BLS_KEY_SIZE = 48;

/** Parses a vote account in any layout since version 1.14; members of the newest layout are shown for it only. */
export function parseVote(data: Uint8Array): ParsedState | undefined {
  const info = readVoteAccount(data);
  return info === undefined ? undefined : { type: 'vote', info };
}

/** The content of a vote account. */
export type VoteInfo = ReturnType<typeof readVersion3> | ReturnType<typeof readVersion4>;

/** Reads a vote account in any layout since version 1.14; undefined: it is none, or not initialized. */
export function readVoteAccount(data: Uint8Array): VoteInfo | undefined {
  return decodeBytes(data, (reader) => reader.oneOf(reader.u32(), LAYOUTS)(reader));
}

const LAYOUTS: readonly ((reader: ByteReader) => VoteInfo)[] = [
  (reader) => reader.reject(),
  (reader) => readVersion3(reader, readLockout),
  (reader) => readVersion3(reader, readLandedVote),
  readVersion4,
];

function readVersion3(reader: ByteReader, readVote: (reader: ByteReader) => Lockout) {
  return {
    nodePubkey: reader.address(),
    authorizedWithdrawer: reader.address(),
    commission: reader.u8(),
    ...readVotes(reader, readVote),
    priorVoters: readPriorVoters(reader),
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
    commission: Math.min(Math.trunc(inflationRewardsCommissionBps / 100), 255),
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

function readVotes(reader: ByteReader, readVote: (reader: ByteReader) => Lockout) {
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

/** A ring of fixed size; unused places have no key. */
function readPriorVoters(reader: ByteReader) {
  const places = reader.list(PRIOR_VOTERS, () => ({
    authorizedPubkey: reader.nonZeroAddress(),
    epochOfLastAuthorizedSwitch: reader.u64(),
    targetEpoch: reader.u64(),
  }));
  reader.u64(); // last written position of the ring
  reader.bool(); // true if the ring is empty
  return places.filter((place) => place.authorizedPubkey !== null);
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
