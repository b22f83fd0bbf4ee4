import { expect, test } from 'vitest';
import { EpochSchedule } from '../../src/localnet/epoch/epoch.ts';
import { equalEpochs, epochLengthsJson, readEpochLengths } from '../../src/localnet/epoch/epoch-lengths.ts';

/** Of a ledger whose epochs have 8,192 slots from the eighth on, as agave's own tests have it. */
const WARM = {
  slotsPerEpoch: 8_192n,
  leaderScheduleSlotOffset: 8_192n,
  warmup: true,
  firstNormalEpoch: 8n,
  firstNormalSlot: 8_160n,
};
const epochs = new EpochSchedule(WARM);

test('the first epochs double until they have the normal length, and each slot is in one', () => {
  let slot = 0n;
  for (let epoch = 0n; epoch < 11n; epoch++) {
    const length = epoch < 8n ? 2n ** (epoch + 5n) : 8_192n;
    expect([epochs.firstSlot(epoch), epochs.slotsIn(epoch)]).toEqual([slot, length]);
    for (const index of [0n, 1n, length - 1n])
      expect([epochs.epochOf(slot + index), epochs.slotIndex(slot + index)]).toEqual([epoch, index]);
    slot += length;
  }
});

test('leaders are known of the next epoch while epochs are short, then as far ahead as the schedule says', () => {
  const known = [0n, 31n, 32n, 8_159n, 8_160n, 16_351n, 16_352n].map((slot) =>
    epochs.leaderScheduleEpoch(slot),
  );
  expect(known).toEqual([1n, 1n, 2n, 8n, 9n, 9n, 10n]);
});

test('epochs of one length have no warm-up, and the last one begins in a slot that there is', () => {
  const equal = new EpochSchedule(equalEpochs(32n));
  expect([
    equal.epochOf(95n),
    equal.slotIndex(95n),
    equal.slotsIn(2n),
    equal.leaderScheduleEpoch(95n),
  ]).toEqual([2n, 31n, 32n, 3n]);
  expect(equal.firstSlot(2n ** 63n)).toBe(2n ** 64n - 1n);
});

test('lengths are read as they are shown', () => {
  for (const lengths of [WARM, equalEpochs(432_000n)])
    expect(readEpochLengths(epochLengthsJson(lengths))).toEqual(lengths);
});

test.each([
  ['nothing', undefined],
  ['no object', 5],
  ['too short epochs', { ...equalEpochs(31n) }],
  ['too long epochs', { ...equalEpochs(432_001n) }],
  ['an epoch that is normal too early', { ...WARM, firstNormalSlot: 8_159n }],
  ['short epochs without a warm-up', { ...WARM, warmup: false }],
  ['no warm-up', { ...WARM, warmup: undefined }],
  ['a warm-up without an end', { ...WARM, firstNormalEpoch: 200n }],
])('lengths with %s are none', (_name, lengths) => {
  const json =
    typeof lengths === 'object'
      ? JSON.parse(
          JSON.stringify(lengths, (_key, value: unknown) =>
            typeof value === 'bigint' ? Number(value) : value,
          ),
        )
      : lengths;
  expect(readEpochLengths(json)).toBeUndefined();
});
