import { walletMinutes } from '../../store/billing-tables.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';

const PURGE_ROWS = 5_000;
const DAY_MS = 86_400_000;
/** What another server counted of a minute may be stored so late. */
const COUNTED_MS = 3_600_000;

/**
 * Deletes the requests of accounts in minutes in which none of them failed, which nothing is computed from: at most 5,000, of minutes that
 * are an hour to a day old.
 *
 * @returns true if there may be more.
 */
export async function purgeUnfailed({ db }: Pick<Store, 'db'>, nowMs: number): Promise<boolean> {
  const [from, until] = [new Date(nowMs - DAY_MS), new Date(nowMs - COUNTED_MS)];
  const purged = await db.execute(sql`
    delete from ${walletMinutes} where ctid = any(array(
      select ctid from ${walletMinutes}
      where minute >= ${from} and minute < ${until} and failed = 0 limit ${PURGE_ROWS}))`);
  return purged.rowCount === PURGE_ROWS;
}
