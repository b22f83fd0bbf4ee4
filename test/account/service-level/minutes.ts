import { randomUUID } from 'node:crypto';
import { MINUTE_MS } from '../../../src/account/service-level/month-span.ts';
import { serviceMinutes, walletMinutes } from '../../../src/store/billing-tables.ts';
import { sql } from '../../../src/store/drizzle.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { accounts } from '../../../src/store/tables.ts';

/** All parts of a minute. */
export const UP = 4_095;

/** Stores that minutes from an instant up to another one were served in these parts. */
export async function serve(
  { db }: Store,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  slots = UP,
): Promise<void> {
  await db.execute(sql`insert into service_minutes (minute, slots)
    select minute, ${slots} from generate_series(${new Date(startMs)}::timestamptz, ${new Date(endMs - MINUTE_MS)}::timestamptz, '1 minute') minute
    on conflict (minute) do update set slots = excluded.slots`);
}

/** Stores that nothing was served in minutes. */
export async function breakOff(
  { db }: Store,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<void> {
  await db.execute(
    sql`delete from ${serviceMinutes} where minute >= ${new Date(startMs)} and minute < ${new Date(endMs)}`,
  );
}

/** Stores requests of an account in a minute. */
export async function request(
  { db }: Store,
  row: {
    readonly accountId: string;
    readonly minuteMs: number;
    readonly requests: number;
    readonly failed: number;
  },
): Promise<void> {
  const { minuteMs, ...counts } = row;
  await db.insert(walletMinutes).values({ minute: new Date(minuteMs), ...counts });
}

/** An account that was created at an instant. */
export async function createdAt({ db }: Store, createdMs: number): Promise<string> {
  const id = randomUUID();
  await db.insert(accounts).values({ id, kind: 'customer', name: id, createdAt: new Date(createdMs) });
  return id;
}
