import { randomUUID } from 'node:crypto';
import { PLANS } from '../../../generated/plans.ts';
import { serviceError } from '../../core/service-error.ts';
import { plannedWork } from '../../store/billing-tables.ts';
import { eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { MINUTE_MS, minutesIn, type Span, clip, monthSpan } from './month-span.ts';
import {
  type PlannedWork,
  readPlannedWork,
  toPlannedWork,
  type AnnouncedWork,
  isInTime,
  plannedMinutes,
} from './planned-work-rows.ts';
import { utcMonth } from '../../core/utc-month.ts';

export type PlannedWorkDeps = {
  readonly store: Store;
  /** Records a change, with the id of the work, in the transaction that makes it. */
  readonly record?: RecordChange | undefined;
};

/** Work, and how it counts among the other work of its months. */
export type StandingWork = PlannedWork & WorkStanding;

const LISTED_MS = PLANS.availability.kept.days * 86_400_000;
const LONGEST_HOURS = PLANS.availability.planned_work.longest_hours;

/** Describes the fault in the time of work that is announced now; undefined if it may be announced. */
export function workFault(
  { startMs, endMs }: Span,
  nowMs: number,
): { readonly member: 'starts_at' | 'ends_at'; readonly detail: string } | undefined {
  if (startMs % MINUTE_MS !== 0) return { member: 'starts_at', detail: 'must be a whole minute' };
  if (endMs % MINUTE_MS !== 0) return { member: 'ends_at', detail: 'must be a whole minute' };
  if (startMs <= nowMs) return { member: 'starts_at', detail: 'must be in the future' };
  if (endMs <= startMs) return { member: 'ends_at', detail: 'must be after the start' };
  if (minutesIn([{ startMs, endMs }]) > LONGEST_HOURS * 60)
    return { member: 'ends_at', detail: `must be at most ${LONGEST_HOURS} hours after the start` };
  return undefined;
}

/** Announces work, whose time has no fault. */
export async function announceWork(
  { store, record }: PlannedWorkDeps,
  { startMs, endMs, note }: Span & Pick<PlannedWork, 'note'>,
  nowMs: number,
): Promise<StandingWork> {
  const id = randomUUID();
  await store.transaction(async (tx) => {
    const times = { startsAt: new Date(startMs), endsAt: new Date(endMs), announcedAt: new Date(nowMs) };
    await tx.insert(plannedWork).values({ id, note, ...times });
    await record?.(tx, id);
  });
  const work = { id, note, startMs, endMs, announcedMs: nowMs, cancelledMs: undefined };
  return withStanding(store, work);
}

/**
 * Cancels work before it begins; work that was cancelled stays as it is.
 *
 * @throws ServiceError `plannedWorkNotFound`, `plannedWorkBegun`.
 */
export async function cancelWork(
  { store, record }: PlannedWorkDeps,
  id: string,
  nowMs: number,
): Promise<StandingWork> {
  const work = await store.transaction(async (tx) => {
    const isIt = eq(plannedWork.id, id);
    const [row] = await tx.select().from(plannedWork).where(isIt).for('update');
    if (row === undefined) throw serviceError('plannedWorkNotFound', { id });
    if (row.cancelledAt !== null) return toPlannedWork(row);
    if (row.startsAt.getTime() <= nowMs)
      throw serviceError('plannedWorkBegun', { id, startsAt: row.startsAt.toISOString() });
    const cancelledAt = new Date(nowMs);
    await tx.update(plannedWork).set({ cancelledAt }).where(isIt);
    await record?.(tx, id);
    return toPlannedWork({ ...row, cancelledAt });
  });
  return withStanding(store, work);
}

/** Lists work of the months of which minutes are kept, and later, cancelled work too, in the order of its beginning. */
export async function listWork({ db }: Pick<Store, 'db'>, nowMs: number): Promise<readonly StandingWork[]> {
  const sinceMs = nowMs - LISTED_MS;
  const { startMs } = spanOfMonths({ startMs: sinceMs, endMs: sinceMs + 1 });
  const works = await readPlannedWork(db, { startMs, endMs: Number.POSITIVE_INFINITY });
  return works.map((work) => ({ ...work, ...standingOf(work, works) }));
}

async function withStanding({ db }: Pick<Store, 'db'>, work: PlannedWork): Promise<StandingWork> {
  return { ...work, ...standingOf(work, await readPlannedWork(db, spanOfMonths(work))) };
}

/** The minutes of work that are left out of availability, and the reason why others are not. */
type WorkStanding = {
  /** Minutes of the work. */
  readonly minutes: number;
  /** Those of them that do not count towards availability. */
  readonly excluded: number;
  /** The reason why the rest counts as any other minute; undefined if all are excluded. */
  readonly countsBecause: 'cancelled' | 'announced_late' | 'allowance_used' | undefined;
};

/** Returns how work counts among all work of its months. */
function standingOf(work: AnnouncedWork, works: readonly AnnouncedWork[]): WorkStanding {
  const minutes = minutesIn([work]);
  if (work.cancelledMs !== undefined) return { minutes, excluded: 0, countsBecause: 'cancelled' };
  if (!isInTime(work)) return { minutes, excluded: 0, countsBecause: 'announced_late' };
  const excluded = monthsOf(work).reduce(
    (sum, month) => sum + minutesIn(clip(plannedMinutes(works, monthSpan(month)), work)),
    0,
  );
  return { minutes, excluded, countsBecause: excluded < minutes ? 'allowance_used' : undefined };
}

/** Returns the whole months that a span lies in, as a span. */
function spanOfMonths({ startMs, endMs }: Span): Span {
  return { startMs: monthSpan(utcMonth(startMs)).startMs, endMs: monthSpan(utcMonth(endMs - 1)).endMs };
}

/** Work is at most a day long, and so in two months at most. */
function monthsOf({ startMs, endMs }: Span): readonly string[] {
  return [...new Set([utcMonth(startMs), utcMonth(endMs - 1)])];
}
