import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import { isObject } from '../genesis-options/account-json.ts';

/** The division of a ledger's slots into epochs, as in `getEpochSchedule`. */
export type EpochLengths = {
  /** Length of every epoch from `firstNormalEpoch` on. */
  readonly slotsPerEpoch: bigint;
  /** Number of slots between the creation of a leader schedule and the epoch that it is for. */
  readonly leaderScheduleSlotOffset: bigint;
  /** True when the epochs before `firstNormalEpoch` are shorter. */
  readonly warmup: boolean;
  readonly firstNormalEpoch: bigint;
  readonly firstNormalSlot: bigint;
};

/** Length of epoch 0 if the first epochs are shorter; each of those is twice as long as the previous one. */
const FIRST_EPOCH_SLOTS = 32n;
/** Maximum number of shorter epochs: the next one would exceed the maximum length. */
const MOST_SHORTER = 14;

/** Returns epochs of one length. */
export function equalEpochs(slotsPerEpoch: bigint): EpochLengths {
  const normal = { warmup: false, firstNormalEpoch: 0n, firstNormalSlot: 0n };
  return { slotsPerEpoch, leaderScheduleSlotOffset: slotsPerEpoch, ...normal };
}

/** Returns the length of an epoch of the warm-up. */
export function shorterSlots(epoch: bigint): bigint {
  return FIRST_EPOCH_SLOTS << epoch;
}

/** Returns the first slot of an epoch of the warm-up, or of the first epoch after it. */
export function shorterFirstSlot(epoch: bigint): bigint {
  return shorterSlots(epoch) - FIRST_EPOCH_SLOTS;
}

/** Reads the answer of `getEpochSchedule`, or its members in JSON; undefined: not a schedule, or one that a ledger cannot have. */
export function readEpochLengths(value: unknown): EpochLengths | undefined {
  if (!isObject(value) || typeof value.warmup !== 'boolean') return undefined;
  const { warmup } = value;
  const { minimum, maximum } = CONFIG_INTEGERS['localnet.slots_per_epoch'];
  const slotsPerEpoch = readCount(value.slotsPerEpoch, { minimum, maximum });
  const leaderScheduleSlotOffset = readCount(value.leaderScheduleSlotOffset);
  const firstNormalEpoch = readCount(value.firstNormalEpoch, { maximum: warmup ? MOST_SHORTER : 0 });
  const firstNormalSlot = readCount(value.firstNormalSlot);
  if (slotsPerEpoch === undefined || leaderScheduleSlotOffset === undefined) return undefined;
  if (firstNormalEpoch === undefined || firstNormalSlot !== shorterFirstSlot(firstNormalEpoch))
    return undefined;
  return { slotsPerEpoch, leaderScheduleSlotOffset, warmup, firstNormalEpoch, firstNormalSlot };
}

function readCount(
  value: unknown,
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = {},
): bigint | undefined {
  const isCount = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return isCount ? BigInt(Number(value)) : undefined;
}

/** Returns the members in the form that `readEpochLengths` reads. */
export function epochLengthsJson(lengths: EpochLengths): object {
  const entries = Object.entries(lengths);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );
}
