import { VoteAccount } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address, key } from '../instruction-case.ts';

const owner = 'Vote111111111111111111111111111111111111111';
const u64 = (...values: bigint[]) => [...new Uint8Array(BigUint64Array.from(values).buffer)];
const u32 = (value: number) => [...new Uint8Array(Uint32Array.of(value).buffer)];
const u16 = (value: number) => [...new Uint8Array(Uint16Array.of(value).buffer)];
const bytes = (seed: number) => [...key(seed).toBytes()];

const ROOT_AND_VOTERS = [1, ...u64(90n), ...u64(1n), ...u64(5n), ...bytes(3)];
const PRIOR = [...bytes(4), ...u64(1n, 2n), ...new Uint8Array(48 * 31), ...u64(0n), 0];
const CREDITS = [...u64(1n), ...u64(5n, 2n ** 64n - 1n, 7n), ...u64(100n), ...u64(1_700_000_000n)];
const SHOWN_VOTERS = { rootSlot: 90n, authorizedVoters: [{ epoch: 5n, authorizedVoter: address(3) }] };
const SHOWN_CREDITS = {
  epochCredits: [{ epoch: 5n, credits: '18446744073709551615', previousCredits: '7' }],
  lastTimestamp: { slot: 100n, timestamp: 1_700_000_000n },
};
/** The members that only the newest layout has, with the values that an older one stands for. */
const SHOWN_AS_NEWEST = {
  inflationRewardsCommissionBps: 800,
  inflationRewardsCollector: address(9),
  blockRevenueCollector: address(1),
  blockRevenueCommissionBps: 10_000,
  pendingDelegatorRewards: '0',
  blsPubkeyCompressed: null,
  priorVoters: [],
};

const OLD = [
  ...u32(1),
  ...bytes(1),
  ...bytes(2),
  8,
  ...u64(1n),
  ...u64(99n),
  ...u32(31),
  ...ROOT_AND_VOTERS,
  ...PRIOR,
  ...CREDITS,
];
const CURRENT = [
  ...u32(2),
  ...bytes(1),
  ...bytes(2),
  8,
  ...u64(1n),
  3,
  ...u64(99n),
  ...u32(31),
  ...ROOT_AND_VOTERS,
  ...PRIOR,
  ...CREDITS,
];

const parse = (data: readonly number[]) =>
  parseChecked(address(9), accountOf({ data: Uint8Array.from(data), owner }), NO_MINTS);

test('parses the layout of version 1.14 as web3.js reads it, with the members of the newest one', () => {
  const read = VoteAccount.fromAccountData(Buffer.from(OLD));
  expect(read.nodePubkey.toBase58()).toBe(address(1));
  expect(parse(OLD)).toEqual({
    program: 'vote',
    parsed: {
      type: 'vote',
      info: {
        nodePubkey: read.nodePubkey.toBase58(),
        authorizedWithdrawer: read.authorizedWithdrawer.toBase58(),
        commission: read.commission,
        votes: [{ latency: 0, slot: 99n, confirmationCount: 31 }],
        ...SHOWN_VOTERS,
        ...SHOWN_AS_NEWEST,
        ...SHOWN_CREDITS,
      },
    },
    space: BigInt(OLD.length),
  });
});

test('parses the layout with the latency of votes, with the members of the newest one', () => {
  expect(parse(CURRENT)?.parsed).toEqual({
    type: 'vote',
    info: {
      nodePubkey: address(1),
      authorizedWithdrawer: address(2),
      commission: 8,
      votes: [{ latency: 3, slot: 99n, confirmationCount: 31 }],
      ...SHOWN_VOTERS,
      ...SHOWN_AS_NEWEST,
      ...SHOWN_CREDITS,
    },
  });
});

test('parses the newest layout, which has its commission in basis points', () => {
  const keys = [...bytes(1), ...bytes(2), ...bytes(5), ...bytes(6)];
  const terms = [...u16(850), ...u16(10_000), ...u64(44n), 0];
  const data = [...u32(3), ...keys, ...terms, ...u64(0n), 0, ...u64(0n), ...CREDITS];
  expect(parse(data)?.parsed).toEqual({
    type: 'vote',
    info: {
      nodePubkey: address(1),
      authorizedWithdrawer: address(2),
      commission: 8,
      inflationRewardsCommissionBps: 850,
      inflationRewardsCollector: address(5),
      blockRevenueCollector: address(6),
      blockRevenueCommissionBps: 10_000,
      pendingDelegatorRewards: '44',
      blsPubkeyCompressed: null,
      votes: [],
      rootSlot: null,
      authorizedVoters: [],
      priorVoters: [],
      ...SHOWN_CREDITS,
    },
  });
});

test('does not parse older or unknown layouts, or one cut short', () => {
  expect(parse([...u32(0), ...CURRENT.slice(4)])).toBeUndefined();
  expect(parse([...u32(4), ...CURRENT.slice(4)])).toBeUndefined();
  expect(parse(CURRENT.slice(0, -1))).toBeUndefined();
});
