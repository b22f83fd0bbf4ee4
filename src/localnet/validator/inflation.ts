import { SLOTS_PER_EPOCH } from '../epoch/epoch.ts';

/** The inflation parameters of the genesis config: an agave default. Shares of the supply per year, years. */
export const INFLATION = {
  initial: 0.08,
  terminal: 0.015,
  taper: 0.15,
  foundation: 0.05,
  foundationTerm: 7,
} as const;

const YEAR_MS = 365.242199 * 24 * 60 * 60 * 1000;

/** Returns the yearly rate at the start of an epoch of slots of `slotMs`, and its distribution. */
export function inflationRate(
  epoch: bigint,
  slotMs: number,
): {
  readonly total: number;
  readonly validator: number;
  readonly foundation: number;
} {
  const year = Number(epoch * SLOTS_PER_EPOCH) / (YEAR_MS / slotMs);
  const total = Math.max(INFLATION.initial * (1 - INFLATION.taper) ** year, INFLATION.terminal);
  const foundation = year < INFLATION.foundationTerm ? total * INFLATION.foundation : 0;
  return { total, validator: total - foundation, foundation };
}
