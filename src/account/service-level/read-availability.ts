import type { Store } from '../../store/open-store.ts';
import { measureMonth } from './measure-month.ts';

/** The availability of the wallet service in a month, or in the part of it that is over. */
export type Availability = {
  /** Whole minutes that count. */
  readonly minutes: number;
  /** Minutes of planned work, which do not count. */
  readonly planned: number;
  /** The unavailable part of all minutes, in millionths of a minute, each minute rounded down. */
  readonly unavailable: bigint;
};

/**
 * Reads the availability of the wallet service for an account in a month of UTC, such as `2026-01`, up to the last minute that is recorded
 * (see `recordedUntil`). Nothing is known of a month whose minutes were deleted; `closed_months` has its figures.
 */
export async function readAvailability(
  db: Pick<Store['db'], 'execute' | 'select'>,
  query: { readonly accountId: string; readonly month: string; readonly nowMs: number },
): Promise<Availability> {
  const { minutes, planned, unavailable } = await measureMonth(db, query);
  return { minutes, planned, unavailable };
}
