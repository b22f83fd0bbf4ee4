/** The inflation parameters of the genesis config: an agave default. Shares of the supply per year, years. */
export const INFLATION = {
  initial: 0.08,
  terminal: 0.015,
  taper: 0.15,
  foundation: 0.05,
  foundationTerm: 7,
} as const;

const YEAR_MS = 365.242199 * 24 * 60 * 60 * 1000;

/**
 * Returns the lamports that validators and stakes earn for one epoch, paid from `firstSlot` on, the first slot of a later epoch (agave,
 * `calculate_epoch_inflation_rewards`). `supply` is in lamports; slots take `slotMs`.
 */
export function epochInflation(epoch: {
  readonly supply: bigint;
  readonly firstSlot: bigint;
  readonly slotsPerEpoch: bigint;
  readonly slotMs: number;
}): bigint {
  const { supply, firstSlot, slotsPerEpoch, slotMs } = epoch;
  const { validator } = inflationRate(firstSlot, slotMs);
  const years = Number(slotsPerEpoch) / (YEAR_MS / slotMs);
  return BigInt(Math.trunc(validator * Number(supply) * years));
}

/** Returns the yearly rate at a slot, where slots take `slotMs`, and its distribution. */
export function inflationRate(
  slot: bigint,
  slotMs: number,
): {
  readonly total: number;
  readonly validator: number;
  readonly foundation: number;
} {
  const year = Number(slot) / (YEAR_MS / slotMs);
  const total = Math.max(INFLATION.initial * (1 - INFLATION.taper) ** year, INFLATION.terminal);
  const foundation = year < INFLATION.foundationTerm ? total * INFLATION.foundation : 0;
  return { total, validator: total - foundation, foundation };
}
