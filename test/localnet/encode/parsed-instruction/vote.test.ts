import {
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  SYSVAR_SLOT_HASHES_PUBKEY,
  type Transaction,
  TransactionInstruction,
  VoteAuthorizationLayout,
  VoteInit,
  VoteProgram,
} from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../../src/localnet/bytes/byte-writer.ts';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const CLOCK = SYSVAR_CLOCK_PUBKEY.toBase58();
const [vote, authority, other, node] = [key(1), key(2), key(3), key(4)];
const V = { voteAccount: address(1) };
const last = (transaction: Transaction) => {
  const built = transaction.instructions.at(-1);
  if (built === undefined) throw new Error('no instruction');
  return built;
};
const seeded = {
  currentAuthorityDerivedKeyBasePubkey: authority,
  currentAuthorityDerivedKeyOwnerPubkey: other,
  currentAuthorityDerivedKeySeed: 'a seed',
  newAuthorizedPubkey: node,
  voteAuthorizationType: VoteAuthorizationLayout.Withdrawer,
  votePubkey: vote,
};

/** An instruction that web3.js does not build: a tag, then values one after the other. */
function build(accounts: number, tag: number, ...parts: readonly (Uint8Array | readonly number[])[]) {
  const keys = Array.from({ length: accounts }, (_, index) => ({
    pubkey: key(index + 1),
    isSigner: false,
    isWritable: true,
  }));
  const data = Buffer.concat([
    new ByteWriter(4).u32(tag).bytes,
    ...parts.map((part) => Uint8Array.from(part)),
  ]);
  return new TransactionInstruction({ programId: VoteProgram.programId, keys, data });
}
const u64 = (value: bigint) => new ByteWriter(8).u64(value).bytes;
const u32 = (value: number) => new ByteWriter(4).u32(value).bytes;
const bytesOf = (seed: number) => key(seed).toBytes();
const TIME = [1, ...u64(1_234_567_890n)];
const HASHED = { hash: address(9), timestamp: 1_234_567_890n };
const NO_ROOT = u64(2n ** 64n - 1n);
const LOCKOUTS = [
  { slot: 100n, confirmation_count: 2 },
  { slot: 400n, confirmation_count: 1 },
];
const COMPACT = [...u64(90n), 2, 10, 2, 0xac, 0x02, 1];
const FULL = [...u64(2n), ...u64(100n), ...u32(2), ...u64(400n), ...u32(1), 1, ...u64(90n)];
const AUTHORITY = { ...V, voteAuthority: address(2) };
const TOWER = { lockouts: LOCKOUTS, root: 90n, ...HASHED };
const VOTED = { vote: { slots: [1n, 2n, 4n], ...HASHED } };
const VOTE = [...u64(3n), ...u64(1n), ...u64(2n), ...u64(4n), ...bytesOf(9), ...TIME];
const VOTERS = { ...V, slotHashesSysvar: address(2), clockSysvar: address(3), voteAuthority: address(4) };

const CASES: readonly (readonly [string, TransactionInstruction, object])[] = [
  [
    'initialize',
    VoteProgram.initializeAccount({
      votePubkey: vote,
      nodePubkey: node,
      voteInit: new VoteInit(node, authority, other, 7),
    }),
    {
      ...V,
      rentSysvar: SYSVAR_RENT_PUBKEY.toBase58(),
      clockSysvar: CLOCK,
      node: address(4),
      authorizedVoter: address(2),
      authorizedWithdrawer: address(3),
      commission: 7,
    },
  ],
  [
    'authorize',
    last(
      VoteProgram.authorize({
        votePubkey: vote,
        authorizedPubkey: authority,
        newAuthorizedPubkey: other,
        voteAuthorizationType: VoteAuthorizationLayout.Voter,
      }),
    ),
    { ...V, clockSysvar: CLOCK, authority: address(2), newAuthority: address(3), authorityType: 'Voter' },
  ],
  ['vote', build(4, 2, VOTE), { ...VOTERS, ...VOTED }],
  [
    'withdraw',
    last(
      VoteProgram.withdraw({
        votePubkey: vote,
        authorizedWithdrawerPubkey: authority,
        lamports: 55,
        toPubkey: other,
      }),
    ),
    { ...V, destination: address(3), withdrawAuthority: address(2), lamports: 55n },
  ],
  [
    'updateValidatorIdentity',
    last(
      VoteProgram.updateValidatorIdentity({
        votePubkey: vote,
        authorizedWithdrawerPubkey: authority,
        nodePubkey: node,
      }),
    ),
    { ...V, newValidatorIdentity: address(4), withdrawAuthority: address(2) },
  ],
  ['updateCommission', build(2, 5, [10]), { ...V, withdrawAuthority: address(2), commission: 10 }],
  ['voteSwitch', build(4, 6, VOTE, bytesOf(8)), { ...VOTERS, ...VOTED, hash: address(8) }],
  [
    'authorizeChecked',
    build(4, 7, u32(1)),
    {
      ...V,
      clockSysvar: address(2),
      authority: address(3),
      newAuthority: address(4),
      authorityType: 'Withdrawer',
    },
  ],
  ['updatevotestate', build(2, 8, FULL, bytesOf(9), TIME), { ...AUTHORITY, voteStateUpdate: TOWER }],
  [
    'updatevotestateswitch',
    build(2, 9, u64(0n), [0], bytesOf(9), [0], bytesOf(8)),
    {
      ...AUTHORITY,
      voteStateUpdate: { lockouts: [], root: null, hash: address(9), timestamp: null },
      hash: address(8),
    },
  ],
  [
    'authorizeWithSeed',
    last(VoteProgram.authorizeWithSeed(seeded)),
    {
      ...V,
      clockSysvar: CLOCK,
      authorityBaseKey: address(2),
      authorityOwner: address(3),
      authoritySeed: 'a seed',
      newAuthority: address(4),
      authorityType: 'Withdrawer',
    },
  ],
  [
    'authorizeCheckedWithSeed',
    build(4, 11, u32(0), bytesOf(5), u64(2n), Buffer.from('ab')),
    {
      ...V,
      clockSysvar: address(2),
      authorityBaseKey: address(3),
      newAuthority: address(4),
      authorityOwner: address(5),
      authoritySeed: 'ab',
      authorityType: 'Voter',
    },
  ],
  [
    'compactupdatevotestate',
    build(2, 12, COMPACT, bytesOf(9), TIME),
    { ...AUTHORITY, voteStateUpdate: TOWER },
  ],
  [
    'compactupdatevotestateswitch',
    build(2, 13, NO_ROOT, [1, 5, 1], bytesOf(9), [0], bytesOf(8)),
    {
      ...AUTHORITY,
      voteStateUpdate: {
        lockouts: [{ slot: 5n, confirmation_count: 1 }],
        root: null,
        hash: address(9),
        timestamp: null,
      },
      hash: address(8),
    },
  ],
  [
    'towersync',
    build(2, 14, COMPACT, bytesOf(9), TIME, bytesOf(7)),
    { ...AUTHORITY, towerSync: { ...TOWER, blockId: address(7) } },
  ],
  [
    'towersyncswitch',
    build(2, 15, COMPACT, bytesOf(9), TIME, bytesOf(7), bytesOf(8)),
    { ...AUTHORITY, towerSync: { ...TOWER, blockId: address(7) }, hash: address(8) },
  ],
  [
    'initializeV2',
    build(
      2,
      16,
      ...[bytesOf(2), bytesOf(3), new Uint8Array(48 + 96), bytesOf(4), [0xf4, 1], bytesOf(5)],
      ...[[0xe8, 3], bytesOf(6)],
    ),
    {
      ...V,
      node: address(2),
      authorizedVoter: address(3),
      authorizedWithdrawer: address(4),
      inflationRewardsCommissionBps: 500,
      inflationRewardsCollector: address(5),
      blockRevenueCommissionBps: 1_000,
      blockRevenueCollector: address(6),
    },
  ],
  [
    'updateCommissionCollector',
    build(3, 17, u32(0)),
    { ...V, newCollector: address(2), withdrawAuthority: address(3), commissionKind: 'InflationRewards' },
  ],
  [
    'updateCommissionBps',
    build(2, 18, [0xf4, 1], u32(1)),
    { ...V, withdrawAuthority: address(2), commissionBps: 500, commissionKind: 'BlockRevenue' },
  ],
  ['depositDelegatorRewards', build(2, 19, u64(9n)), { ...V, source: address(2), deposit: 9n }],
];

describe.each(CASES)('%s', (type, built, info) => {
  test('is parsed', () => {
    expect(parseBuilt(built)).toMatchObject({ program: 'vote', parsed: { type, info } });
    expect(Object.keys(Object(parseBuilt(built)?.parsed).info).sort()).toEqual(Object.keys(info).sort());
  });

  test('is not parsed with an account or a byte missing', () => {
    expect(parseBuilt(without(built, 1))).toBeUndefined();
    const cut = new TransactionInstruction({ ...built, data: built.data.subarray(0, -1) });
    expect(parseBuilt(cut)).toBeUndefined();
  });
});

test.each([
  ['an unknown instruction', build(4, 20)],
  ['an authority with a BLS key', build(4, 7, u32(2), new Uint8Array(144))],
  ['a distance that leaves 64 bits', build(2, 12, u64(2n ** 64n - 2n), [1, 2, 1], bytesOf(9), [0])],
  ['a distance that is not in its shortest form', build(2, 12, u64(0n), [1, 0x81, 0, 1], bytesOf(9), [0])],
  ['more votes than there are bytes', build(2, 12, u64(0n), [0xff, 0xff, 3])],
])('%s stays undecoded', (_name, built) => {
  expect(parseBuilt(built)).toBeUndefined();
});

test('the sysvars of a vote are shown where they are passed', () => {
  const keys = [vote, SYSVAR_SLOT_HASHES_PUBKEY, SYSVAR_CLOCK_PUBKEY, authority].map((pubkey) => ({
    pubkey,
    isSigner: false,
    isWritable: false,
  }));
  const built = new TransactionInstruction({ ...build(4, 2, VOTE), keys });
  expect(parseBuilt(built)?.parsed).toMatchObject({
    info: { slotHashesSysvar: SYSVAR_SLOT_HASHES_PUBKEY.toBase58(), clockSysvar: CLOCK },
  });
});
