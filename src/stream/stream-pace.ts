import type { Config } from '../../generated/config.ts';
import type { Pace } from '../upstream/nodes/pace.ts';

/** What streams measure in slots or by the length of one, as the pace of their network is now. */
export type StreamPace = {
  /** How long the ledger node is not asked for new slots. */
  readonly pollMs: () => number;
  /** New blocks that may come while a reader takes none. */
  readonly maxLagSlots: () => number;
  /** How far behind the newest slot a stream may resume. */
  readonly maxResumeSlots: () => number;
  /** A node behind another one lags by no more. */
  readonly maxAheadSlots: () => number;
};

const LAG_MS = 60_000;
const RESUME_MS = 3_600_000;
const POLLS_IN_SLOT = 2;
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 30_000;
/** Until the pace is known. */
const FIRST_POLL_MS = 100;

type Settings = Pick<Config['grpc'], 'poll_ms' | 'max_lag_slots' | 'max_resume_slots'>;

/** By the settings; where they say nothing, by the pace. While that is not known, only what memory and nodes hold bounds streams. */
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
