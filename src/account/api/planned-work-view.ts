import type { PlannedWork as ShownWork } from '../../../generated/account/types.ts';
import type { StandingWork } from '../service-level/planned-work.ts';

/** Returns planned work as the account service shows it. */
export function toPlannedWorkView(work: StandingWork): ShownWork {
  const { id, note, startMs, endMs, announcedMs, cancelledMs, minutes, excluded, countsBecause } = work;
  return {
    work_id: id,
    starts_at: print(startMs),
    ends_at: print(endMs),
    note,
    announced_at: print(announcedMs),
    ...(cancelledMs === undefined ? {} : { cancelled_at: print(cancelledMs) }),
    minutes,
    excluded_minutes: excluded,
    ...(countsBecause === undefined ? {} : { counts_because: countsBecause }),
  };
}

function print(instantMs: number): string {
  return new Date(instantMs).toISOString();
}
