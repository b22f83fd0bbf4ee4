import { closedMonths, serviceMonths } from '../../store/billing-tables.ts';
import { desc, eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';

/** The availability of a month that is over. */
export type PastMonth = {
  readonly month: string;
  /** The figures are those of the account as its month was closed, or of the service without the requests of accounts. */
  readonly of: 'account' | 'service';
  readonly minutes: number;
  readonly unavailable: bigint;
  /** The credit that was booked, in micro-USD; undefined for the service. */
  readonly credit: bigint | undefined;
};

const MONTHS = 24;

/** Returns the last 24 months that are over, newest first: of an account, and of the service where the account has none. */
export async function readPastMonths(
  { db }: Pick<Store, 'db'>,
  accountId: string | undefined,
): Promise<readonly PastMonth[]> {
  const kept = await db.select().from(serviceMonths).orderBy(desc(serviceMonths.month)).limit(MONTHS);
  const closed = accountId === undefined ? [] : await readClosed(db, accountId);
  const months = new Map(kept.map((row): [string, PastMonth] => [row.month, toPastMonth(row)]));
  for (const row of closed)
    months.set(row.month, { ...toPastMonth(row), of: 'account', credit: row.serviceCredit });
  return [...months.values()].toSorted((a, b) => (a.month < b.month ? 1 : -1)).slice(0, MONTHS);
}

function readClosed(db: Store['db'], accountId: string) {
  return db
    .select()
    .from(closedMonths)
    .where(eq(closedMonths.accountId, accountId))
    .orderBy(desc(closedMonths.month))
    .limit(MONTHS);
}

function toPastMonth({
  month,
  minutes,
  unavailable,
}: Pick<PastMonth, 'month' | 'minutes' | 'unavailable'>): PastMonth {
  return { month, of: 'service', minutes, unavailable, credit: undefined };
}
