import { address as toAddress } from '@solana/kit';
import {
  Clock,
  EpochRewards,
  EpochSchedule,
  LiteSVM,
  Rent,
  SlotHistory,
  StakeHistory,
  StakeHistoryEntry,
} from 'litesvm';
import { describe, expect, test } from 'vitest';
import * as sysvars from '../../../../src/localnet/addresses/sysvar-addresses.ts';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address } from '../instruction-case.ts';

const U64_MAX = 2n ** 64n - 1n;
const owner = 'Sysvar1111111111111111111111111111111111111';
const parse = (at: string, data: Uint8Array) => parseChecked(at, accountOf({ data, owner }), NO_MINTS);

/** The bytes that the runtime itself writes for a sysvar. */
function written(at: string, set: (runtime: LiteSVM) => void): Uint8Array {
  const runtime = new LiteSVM();
  set(runtime);
  const account = runtime.getAccount(toAddress(at));
  if (!account.exists) throw new Error(`the runtime has no ${at}`);
  return Uint8Array.from(account.data);
}

const stakeHistory = new StakeHistory();
stakeHistory.add(1n, new StakeHistoryEntry(10n, 2n, U64_MAX));

const CASES: readonly (readonly [string, string, (runtime: LiteSVM) => void, unknown])[] = [
  [
    'clock',
    sysvars.SYSVAR_CLOCK,
    (runtime) => runtime.setClock(new Clock(U64_MAX, -1n, 2n, 3n, 1_700_000_000n)),
    {
      slot: U64_MAX,
      epochStartTimestamp: -1n,
      epoch: 2n,
      leaderScheduleEpoch: 3n,
      unixTimestamp: 1_700_000_000n,
    },
  ],
  [
    'epochRewards',
    sysvars.SYSVAR_EPOCH_REWARDS,
    (runtime) => runtime.setEpochRewards(new EpochRewards(1n, 2n, address(3), 2n ** 100n, 6n, 5n, true)),
    {
      distributionStartingBlockHeight: 1n,
      numPartitions: 2n,
      parentBlockhash: address(3),
      totalPoints: (2n ** 100n).toString(),
      totalRewards: '6',
      distributedRewards: '5',
      active: true,
    },
  ],
  [
    'epochSchedule',
    sysvars.SYSVAR_EPOCH_SCHEDULE,
    (runtime) => runtime.setEpochSchedule(new EpochSchedule(8192n, 4096n, true, 8n, 8160n)),
    {
      slotsPerEpoch: 8192n,
      leaderScheduleSlotOffset: 4096n,
      warmup: true,
      firstNormalEpoch: 8n,
      firstNormalSlot: 8160n,
    },
  ],
  [
    'lastRestartSlot',
    sysvars.SYSVAR_LAST_RESTART_SLOT,
    (runtime) => runtime.setLastRestartSlot(1282n),
    { lastRestartSlot: 1282n },
  ],
  [
    'rent',
    sysvars.SYSVAR_RENT,
    (runtime) => runtime.setRent(new Rent(6960n, 1, 50)),
    { lamportsPerByte: '6960' },
  ],
  [
    'rent',
    sysvars.SYSVAR_RENT,
    (runtime) => runtime.setRent(new Rent(3480n, 2, 50)),
    { lamportsPerByteYear: '3480', exemptionThreshold: 2, burnPercent: 50 },
  ],
  [
    'slotHashes',
    sysvars.SYSVAR_SLOT_HASHES,
    (runtime) =>
      runtime.setSlotHashes([
        { slot: 9n, hash: address(1) },
        { slot: 8n, hash: address(2) },
      ]),
    [
      { slot: 9n, hash: address(1) },
      { slot: 8n, hash: address(2) },
    ],
  ],
  [
    'stakeHistory',
    sysvars.SYSVAR_STAKE_HISTORY,
    (runtime) => runtime.setStakeHistory(stakeHistory),
    [{ epoch: 1n, stakeHistory: { effective: 10n, activating: 2n, deactivating: U64_MAX } }],
  ],
];

test.each(CASES)('parses %s as the runtime writes it', (type, at, set, info) => {
  const data = written(at, set);
  expect(parse(at, data)).toEqual({ program: 'sysvar', parsed: { type, info }, space: BigInt(data.length) });
});

test('parses the recent blockhashes of the runtime', () => {
  let latest = '';
  const data = written(sysvars.SYSVAR_RECENT_BLOCKHASHES, (runtime) => {
    latest = runtime.latestBlockhash();
  });
  expect(parse(sysvars.SYSVAR_RECENT_BLOCKHASHES, data)?.parsed).toMatchObject({
    type: 'recentBlockhashes',
    info: [{ blockhash: latest, feeCalculator: { lamportsPerSignature: expect.stringMatching(/^\d+$/) } }],
  });
});

test('parses the retired sysvars', () => {
  const ten = new Uint8Array(BigUint64Array.of(10n).buffer);
  expect(parse(sysvars.SYSVAR_FEES, ten)?.parsed).toEqual({
    type: 'fees',
    info: { feeCalculator: { lamportsPerSignature: '10' } },
  });
  const value = new Uint8Array(Float64Array.of(1.5).buffer);
  expect(parse(sysvars.SYSVAR_REWARDS, value)?.parsed).toEqual({
    type: 'rewards',
    info: { validatorPointValue: 1.5 },
  });
});

test('does not parse a sysvar cut short, or at an address it does not know', () => {
  const clock = written(sysvars.SYSVAR_CLOCK, () => undefined);
  expect(parse(sysvars.SYSVAR_CLOCK, clock)).toBeDefined();
  expect(parse(sysvars.SYSVAR_CLOCK, clock.subarray(0, -1))).toBeUndefined();
  expect(parse(address(1), clock)).toBeUndefined();
});

describe('slot history', () => {
  test('is one digit per slot, the lowest first', () => {
    const history = SlotHistory.default();
    for (const slot of [0n, 2n, 1_048_575n]) history.add(slot);
    const data = written(sysvars.SYSVAR_SLOT_HISTORY, (runtime) => runtime.setSlotHistory(history));
    expect(parse(sysvars.SYSVAR_SLOT_HISTORY, data)?.parsed).toEqual({
      type: 'slotHistory',
      info: { nextSlot: 1_048_576n, bits: `101${'0'.repeat(1_048_576 - 4)}1` },
    });
  });

  test('is not parsed if it covers too few slots', () => {
    const short = Uint8Array.from([1, 1, 0, 0, 0, 0, 0, 0, 0, ...new Uint8Array(24)]);
    expect(parse(sysvars.SYSVAR_SLOT_HISTORY, short)).toBeUndefined();
  });
});
