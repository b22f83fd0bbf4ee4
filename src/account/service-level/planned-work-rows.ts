import { and, asc, gt, lt } from '../../store/drizzle.ts';
import { plannedWork } from '../../store/billing-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { Span } from './month-span.ts';
import type { AnnouncedWork } from './planned-minutes.ts';

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
    ...{ id, note, startMs: startsAt.getTime(), endMs: endsAt.getTime() },
    ...{ announcedMs: announcedAt.getTime(), cancelledMs: cancelledAt?.getTime() },
  };
}
