import type { Config } from '../../../generated/config.ts';
import type { Pace } from '../nodes/network/pace.ts';

/** Limits of streams in slots or slot lengths, at the current pace of their network. */
export type StreamPace = {
  /** Interval between requests for new slots. */
  readonly pollMs: () => number;
  /** Number of new blocks that may arrive while a reader takes none. */
  readonly maxLagSlots: () => number;
  /** Maximum distance of a resumed stream to the newest slot. */
  readonly maxResumeSlots: () => number;
  /** Maximum lag of one node behind another. */
  readonly maxAheadSlots: () => number;
};

const LAG_MS = 60_000;
const RESUME_MS = 3_600_000;
const POLLS_IN_SLOT = 2;
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 30_000;
/** Used until the pace is known. */
const FIRST_POLL_MS = 100;

type Settings = Pick<Config['grpc'], 'poll_ms' | 'max_lag_slots' | 'max_resume_slots'>;

/**
 * Creates the pace from the settings; those that are missing follow the network's pace. While that is unknown, only memory and nodes limit
 * streams.
 */
export function createStreamPace(settings: Settings, pace: Pick<Pace, 'slotMs' | 'slotsIn'>): StreamPace {
  const slotsIn = (ms: number): number => pace.slotsIn(ms) ?? Number.POSITIVE_INFINITY;
  return {
    pollMs: () => settings.poll_ms ?? pollMs(pace.slotMs),
    maxLagSlots: () => settings.max_lag_slots ?? slotsIn(LAG_MS),
    maxResumeSlots: () => settings.max_resume_slots ?? slotsIn(RESUME_MS),
    maxAheadSlots: () => slotsIn(LAG_MS),
  };
}

function pollMs(slotMs: number | undefined): number {
  if (slotMs === undefined) return FIRST_POLL_MS;
  return Math.min(Math.max(slotMs / POLLS_IN_SLOT, MIN_POLL_MS), MAX_POLL_MS);
}
