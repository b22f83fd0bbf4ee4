import { and, eq, gte, sql } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { apiKeys, usageMinutes } from '../store/tables.ts';

/** Calls of an account on a network. */
export type OwnCalls = { readonly calls: number; readonly errors: number; readonly refused: number };

const MINUTE_MS = 60_000;

/** Returns the stored calls of an account by network, from the beginning of a minute on. Networks without calls are absent. */
export async function readOwnCalls(
  { db }: Pick<Store, 'db'>,
  accountId: string,
  sinceMs: number,
): Promise<ReadonlyMap<string, OwnCalls>> {
  const { network, minute, keyId, calls, errors, refused } = usageMinutes;
  const sum = (column: typeof calls) => sql<number>`sum(${column})`.mapWith(Number);
  const rows = await db
    .select({ network, calls: sum(calls), errors: sum(errors), refused: sum(refused) })
    .from(usageMinutes)
    .innerJoin(apiKeys, eq(apiKeys.id, keyId))
    .where(
      and(
        eq(apiKeys.accountId, accountId),
        gte(minute, new Date(Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS)),
      ),
    )
    .groupBy(network);
  return new Map(rows.map(({ network: name, ...counts }) => [name, counts]));
}
