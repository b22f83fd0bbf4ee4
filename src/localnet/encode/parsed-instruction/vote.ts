import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { Info, InstructionForm, ReadForm } from './instruction-form.ts';

/** Instructions of the vote program (bincode, solana-vote-interface `VoteInstruction`). */
export const readVoteForm: ReadForm = (reader) => reader.oneOf(reader.u32(), FORMS)(reader);

const ACCOUNT = 'voteAccount';
const BLS_KEY_AND_PROOF_BYTES = 48 + 96;

const FORMS: readonly ReadForm[] = [
  (reader) => ({
    type: 'initialize',
    accounts: [ACCOUNT, 'rentSysvar', 'clockSysvar', 'node'],
    info: skipNode(reader, () => ({
      authorizedVoter: reader.address(),
      authorizedWithdrawer: reader.address(),
      commission: reader.u8(),
    })),
  }),
  (reader) => ({
    type: 'authorize',
    accounts: [ACCOUNT, 'clockSysvar', 'authority'],
    info: { newAuthority: reader.address(), authorityType: readAuthorityType(reader) },
  }),
  (reader) => voteForm('vote', { vote: readVote(reader) }),
  (reader) => ({
    type: 'withdraw',
    accounts: [ACCOUNT, 'destination', 'withdrawAuthority'],
    info: { lamports: reader.u64() },
  }),
  () => ({
    type: 'updateValidatorIdentity',
    accounts: [ACCOUNT, 'newValidatorIdentity', 'withdrawAuthority'],
  }),
  (reader) => ({
    type: 'updateCommission',
    accounts: [ACCOUNT, 'withdrawAuthority'],
    info: { commission: reader.u8() },
  }),
  (reader) => voteForm('voteSwitch', { vote: readVote(reader), hash: reader.address() }),
  (reader) => ({
    type: 'authorizeChecked',
    accounts: [ACCOUNT, 'clockSysvar', 'authority', 'newAuthority'],
    info: { authorityType: readAuthorityType(reader) },
  }),
  (reader) => towerForm('updatevotestate', { voteStateUpdate: readStateUpdate(reader) }),
  (reader) =>
    towerForm('updatevotestateswitch', { voteStateUpdate: readStateUpdate(reader), hash: reader.address() }),
  (reader) => ({
    type: 'authorizeWithSeed',
    accounts: [ACCOUNT, 'clockSysvar', 'authorityBaseKey'],
    info: { ...readSeed(reader), newAuthority: reader.address() },
  }),
  (reader) => ({
    type: 'authorizeCheckedWithSeed',
    accounts: [ACCOUNT, 'clockSysvar', 'authorityBaseKey', 'newAuthority'],
    info: readSeed(reader),
  }),
  (reader) => towerForm('compactupdatevotestate', { voteStateUpdate: readTower(reader) }),
  (reader) =>
    towerForm('compactupdatevotestateswitch', { voteStateUpdate: readTower(reader), hash: reader.address() }),
  (reader) => towerForm('towersync', { towerSync: readTowerSync(reader) }),
  (reader) => towerForm('towersyncswitch', { towerSync: readTowerSync(reader), hash: reader.address() }),
  (reader) => ({
    type: 'initializeV2',
    accounts: [ACCOUNT, 'node'],
    info: skipNode(reader, () => readInitV2(reader)),
  }),
  (reader) => ({
    type: 'updateCommissionCollector',
    accounts: [ACCOUNT, 'newCollector', 'withdrawAuthority'],
    info: { commissionKind: readCommissionKind(reader) },
  }),
  (reader) => ({
    type: 'updateCommissionBps',
    accounts: [ACCOUNT, 'withdrawAuthority'],
    info: { commissionBps: reader.u16(), commissionKind: readCommissionKind(reader) },
  }),
  (reader) => ({
    type: 'depositDelegatorRewards',
    accounts: [ACCOUNT, 'source'],
    info: { deposit: reader.u64() },
  }),
];

function voteForm(type: string, info: Info): InstructionForm {
  return { type, accounts: [ACCOUNT, 'slotHashesSysvar', 'clockSysvar', 'voteAuthority'], info };
}

function towerForm(type: string, info: Info): InstructionForm {
  return { type, accounts: [ACCOUNT, 'voteAuthority'], info };
}

/** The data also contains the node's key, which is shown as the account. */
function skipNode(reader: ByteReader, read: () => Info): Info {
  reader.address();
  return read();
}

function readInitV2(reader: ByteReader): Info {
  const authorizedVoter = reader.address();
  reader.bytes(BLS_KEY_AND_PROOF_BYTES);
  return {
    authorizedVoter,
    authorizedWithdrawer: reader.address(),
    inflationRewardsCommissionBps: reader.u16(),
    inflationRewardsCollector: reader.address(),
    blockRevenueCommissionBps: reader.u16(),
    blockRevenueCollector: reader.address(),
  };
}

/** The third type carries a BLS key; no source shows how nodes print it, so such an instruction stays undecoded. */
function readAuthorityType(reader: ByteReader): string {
  return reader.oneOf(reader.u32(), ['Voter', 'Withdrawer']);
}

function readCommissionKind(reader: ByteReader): string {
  return reader.oneOf(reader.u32(), ['InflationRewards', 'BlockRevenue']);
}

function readSeed(reader: ByteReader): Info {
  return {
    authorityType: readAuthorityType(reader),
    authorityOwner: reader.address(),
    authoritySeed: reader.longText(),
  };
}

function readVote(reader: ByteReader): Info {
  return { slots: reader.list(reader.u64(), () => reader.u64()), ...readHashAndTime(reader) };
}

function readStateUpdate(reader: ByteReader): Info {
  const lockouts = reader.list(reader.u64(), () => ({
    slot: reader.u64(),
    confirmation_count: reader.u32(),
  }));
  return { lockouts, root: reader.option(() => reader.u64()), ...readHashAndTime(reader) };
}

function readTowerSync(reader: ByteReader): Info {
  return { ...readTower(reader), blockId: reader.address() };
}

function readHashAndTime(reader: ByteReader): Info {
  return { hash: reader.address(), timestamp: reader.option(() => reader.i64()) };
}

const U64_MAX = 2n ** 64n - 1n;
const U16_MAX = 2n ** 16n - 1n;

/**
 * Reads the compact form of a validator's votes: the root, then each vote as its distance from the previous one. A root of all ones means
 * none (solana-vote-interface, `serde_compact_vote_state_update` and `serde_tower_sync`).
 */
function readTower(reader: ByteReader): Info {
  const root = reader.u64();
  let slot = root === U64_MAX ? 0n : root;
  const count = readVarint(reader, U16_MAX);
  const lockouts = reader.list(count, () => {
    slot += readVarint(reader, U64_MAX);
    if (slot > U64_MAX) reader.reject();
    return { slot, confirmation_count: reader.u8() };
  });
  const hash = reader.address();
  const timestamp = reader.option(() => reader.i64());
  return { lockouts, root: root === U64_MAX ? null : root, hash, timestamp };
}

/** Reads an integer in groups of seven bits, the lowest first, in its shortest form. */
function readVarint(reader: ByteReader, maximum: bigint): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.u8();
    value |= BigInt(byte & 0x7f) << shift;
    if (value > maximum || (byte === 0 && shift > 0n)) reader.reject();
    if ((byte & 0x80) === 0) return value;
  }
}
