import { and, asc, gt, lt } from '../../store/drizzle.ts';
import { plannedWork } from '../../store/billing-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { type Span, clip, MINUTE_MS } from './month-span.ts';
import { PLANS } from '../../../generated/plans.ts';

/** Announced work with its id and text. */
export type PlannedWork = AnnouncedWork & { readonly id: string; readonly note: string };

/** Reads work that lies at least partly in a span, which may have no end; cancelled work too, in the order of its beginning. */
export async function readPlannedWork(
  db: Pick<Store['db'], 'select'>,
  { startMs, endMs }: Span,
): Promise<readonly PlannedWork[]> {
  const rows = await db
    .select()
    .from(plannedWork)
    .where(
      and(
        Number.isFinite(endMs) ? lt(plannedWork.startsAt, new Date(endMs)) : undefined,
        gt(plannedWork.endsAt, new Date(startMs)),
      ),
    )
    .orderBy(asc(plannedWork.startsAt), asc(plannedWork.id));
  return rows.map(toPlannedWork);
}

/** Reads a row of the table. */
export function toPlannedWork(row: typeof plannedWork.$inferSelect): PlannedWork {
  const { id, note, startsAt, endsAt, announcedAt, cancelledAt } = row;
  return {
    id,
    note,
    startMs: startsAt.getTime(),
    endMs: endsAt.getTime(),
    announcedMs: announcedAt.getTime(),
    cancelledMs: cancelledAt?.getTime(),
  };
}

const { notice_hours: NOTICE_HOURS, minutes_per_month: MINUTES } = PLANS.availability.planned_work;
const NOTICE_MS = NOTICE_HOURS * 60 * MINUTE_MS;

/** Work as it was announced. */
export type AnnouncedWork = Span & {
  readonly announcedMs: number;
  /** Undefined: it was not cancelled. */
  readonly cancelledMs: number | undefined;
};

/** True for work that was announced early enough to be left out. */
export function isInTime({ startMs, announcedMs }: Pick<AnnouncedWork, 'startMs' | 'announcedMs'>): boolean {
  return announcedMs <= startMs - NOTICE_MS;
}

/**
 * Returns the minutes of a month that are left out because work was planned in them, in order: of all work that was announced in time and
 * not cancelled, the first ones up to the allowance of the month. A minute of two works is one minute.
 */
export function plannedMinutes(works: readonly AnnouncedWork[], month: Span): readonly Span[] {
  const counted = works.filter((work) => work.cancelledMs === undefined && isInTime(work));
  const ordered = clip(counted, month).toSorted((a, b) => a.startMs - b.startMs);
  const planned: Span[] = [];
  let leftMs = MINUTES * MINUTE_MS;
  let reachedMs = month.startMs;
  for (const { startMs, endMs } of ordered) {
    const fromMs = Math.max(startMs, reachedMs);
    const untilMs = Math.min(endMs, fromMs + leftMs);
    if (untilMs <= fromMs) continue;
    planned.push({ startMs: fromMs, endMs: untilMs });
    leftMs -= untilMs - fromMs;
    reachedMs = untilMs;
  }
  return planned;
}
