import type { SQL } from 'drizzle-orm';
import { and, eq, gte, sql } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { accounts, apiKeys, usageMinutes } from '../store/tables.ts';
import type { UsageGroup } from './usage-group.ts';
import { isCalled } from './accounts.ts';
import { DEVELOPMENT } from './development-name.ts';
import { isTimeGroup, TIME_GROUPS } from './usage-time.ts';

export type UsageQuery = {
  /** Counts from the beginning of this minute. */
  readonly sinceMs: number;
  readonly by: UsageGroup;
  /** Name of an account; undefined: all accounts. */
  readonly account: string | undefined;
  readonly keyId: string | undefined;
};

/** Counts. `calls` were served, `errors` of them answered with an error; `refused` were not served because the plan's limit was reached. */
export type UsageCounts = {
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
  /** Total weight of the served calls. */
  readonly weight: number;
};

/** A sum. `group`: the key's id, the network, the method, or the instant at which the minute, hour or day began. */
export type UsageSum = UsageCounts & {
  readonly group: string;
  /** Only by key; null for a key that the store does not have. */
  readonly key?: { readonly name: string | null; readonly account: string | null };
};

const { keyId, network, method, minute } = usageMinutes;
const EXPRESSIONS: Readonly<Record<UsageGroup, SQL>> = {
  key: sql`${keyId}::text`,
  network: sql`${network}`,
  method: sql`${method}`,
  minute: TIME_GROUPS.minute(sql`${minute}`),
  hour: TIME_GROUPS.hour(sql`${minute}`),
  day: TIME_GROUPS.day(sql`${minute}`),
};

/** Returns sums of the stored counts in the order of their groups: times ascending, others by the most weight and refusals first. */
export async function readUsage(
  store: Store,
  { sinceMs, by, account, keyId: wantedKey }: UsageQuery,
): Promise<readonly UsageSum[]> {
  const rows = await store.db
    .select({
      group: sql<string>`${EXPRESSIONS[by]} as "group"`,
      calls: sum(usageMinutes.calls),
      errors: sum(usageMinutes.errors),
      refused: sum(usageMinutes.refused),
      weight: sum(usageMinutes.weight),
      name: sql<string | null>`min(${apiKeys.name})`,
      account: sql<
        string | null
      >`min(case when ${accounts.kind} = 'development' then ${DEVELOPMENT} else ${accounts.name} end)`,
    })
    .from(usageMinutes)
    .leftJoin(apiKeys, eq(apiKeys.id, keyId))
    .leftJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(
      and(
        gte(minute, new Date(Math.floor(sinceMs / 60_000) * 60_000)),
        wantedKey === undefined ? undefined : eq(keyId, wantedKey),
        account === undefined ? undefined : isCalled(account),
      ),
    )
    .groupBy(sql`1`)
    .orderBy(isTimeGroup(by) ? sql`1` : sql`5 desc, 4 desc, 1`);
  return rows.map(({ name, account: owner, ...counts }) =>
    by === 'key' ? { ...counts, key: { name, account: owner } } : counts,
  );
}

function sum(column: SQL | (typeof usageMinutes)['calls']): SQL<number> {
  return sql<number>`sum(${column})`.mapWith(Number);
}
