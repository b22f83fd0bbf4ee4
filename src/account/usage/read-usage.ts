import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { readSums } from '../../store/read-sums.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { type SpanPart, splitSpan, type Unit } from './split-span.ts';
import { NO_OWNER, ofAccount, SUMS } from './usage-sums.ts';
import { isTimeGroup, type UsageGroup } from './usage-groups.ts';
import { printInstant, startOf } from './usage-time.ts';

export type UsageQuery = {
  /** Counts from the beginning of this minute. */
  readonly sinceMs: number;
  /** Counts before the beginning of this minute; undefined: up to now. */
  readonly untilMs?: number | undefined;
  readonly by: UsageGroup;
  /** Undefined: all accounts. */
  readonly accountId: string | undefined;
  /** An API key, or a member; undefined: all. */
  readonly keyId: string | undefined;
};

/**
 * Counts. `calls` were served; `errors` of them this server or a ledger node failed to answer, and `callerErrors` were answered with an
 * error about the call itself; `refused` were not served because the plan's limit was reached.
 */
export type UsageCounts = {
  readonly calls: number;
  readonly errors: number;
  readonly callerErrors: number;
  readonly refused: number;
  /** Total weight of the served calls. */
  readonly weight: number;
  /** Pushed messages: notifications of subscriptions under the method of the subscribe call, and messages of topic streams. */
  readonly messages: number;
};

/** A sum. `group`: the key's id, the network, the method, or the instant at which the minute, hour or day began. */
export type UsageSum = UsageCounts & {
  readonly group: string;
  /** Only by key; null for a key that the store does not have. A member's calls are those of the dashboard. */
  readonly key?: { readonly name: string | null; readonly account: string | null };
};

type Row = { readonly group: string; readonly caller_errors: string } & Readonly<
  Record<Exclude<keyof UsageCounts, 'callerErrors'>, string>
>;
type KeyName = { readonly id: string; readonly name: string; readonly account: string };
type Series = 'methods' | 'total' | 'minutes';

/**
 * Returns sums of the stored counts in the order of their groups: times ascending, others by the most weight, then messages, then refusals. Whole days
 * and hours are read from `usage_sums`, the rest from the minutes.
 */
export async function readUsage(
  store: Pick<Store, 'db' | 'batched'>,
  query: UsageQuery,
): Promise<readonly UsageSum[]> {
  const { by } = query;
  const units = unitsOf(query);
  const parts = splitSpan(query, units).map((part) => partOf(query, part));
  if (parts.length === 0) return [];
  const rows = await readSums<Row>(
    store,
    sql`select ${isTimeGroup(by) ? printInstant(sql`"group"`) : sql`"group"::text`} as "group", calls, errors, refused, weight, messages, caller_errors
      from (select "group", ${SUMS} from (${sql.join(parts, sql` union all `)}) parts group by 1) sums
      order by ${isTimeGroup(by) ? sql`1` : sql`5 desc, 6 desc, 4 desc, 1`}`,
  );
  const sums = rows.map(({ group, calls, errors, refused, weight, messages, caller_errors }) => ({
    group,
    calls: Number(calls),
    errors: Number(errors),
    refused: Number(refused),
    weight: Number(weight),
    messages: Number(messages),
    callerErrors: Number(caller_errors),
  }));
  return by === 'key' ? withNames(store, sums) : sums;
}

/** Returns the units that have sums; sums of a key by method have no hours. */
function unitsOf({ by, keyId }: UsageQuery): readonly Unit[] {
  if (by === 'minute') return ['minute'];
  if (by === 'hour') return ['hour', 'minute'];
  const hasHours = keyId === undefined || by === 'key' || by === 'day';
  return hasHours ? ['day', 'hour', 'minute'] : ['day', 'minute'];
}

function partOf(query: UsageQuery, { unit, fromMs, toMs }: SpanPart<Unit>): SQL {
  const series = seriesOf(query, unit);
  const isMinutes = series === 'minutes';
  const [table, owner, start] = isMinutes
    ? [sql`usage_minutes`, sql`key_id`, sql`minute`]
    : [sql`usage_sums`, sql`owner_id`, sql`start`];
  const bounds = [
    ...(isMinutes ? [] : [sql`series = ${`${series}_${unit}`}`]),
    sql`${start} >= ${new Date(fromMs)}`,
    ...(toMs === undefined ? [] : [sql`${start} < ${new Date(toMs)}`]),
  ];
  const group = groupOf(query.by, owner, start);
  const columns = sql`${group} as "group", calls, errors, refused, weight, messages, caller_errors`;
  const where = sql.join(bounds, sql` and `);
  const owners = ownersOf(query, series);
  if (owners === undefined) return sql`select ${columns} from ${table} where ${where}`;
  // Kept apart, so that each owner is looked up in the index.
  return sql`select rows.* from ${owners} owners cross join lateral (
    select ${columns} from ${table} where ${owner} = owners.id and ${where} offset 0) rows`;
}

function seriesOf({ by, keyId }: UsageQuery, unit: Unit): Series {
  if (unit === 'minute') return 'minutes';
  if (by === 'network' || by === 'method') return 'methods';
  return by === 'key' || keyId !== undefined ? 'total' : 'methods';
}

/** Returns the owners whose rows of a series are read; undefined: all. Rows by method belong to accounts, and to keys. */
function ownersOf({ accountId, keyId, sinceMs }: UsageQuery, series: Series): SQL | undefined {
  const isOfAccounts = series === 'methods' && keyId === undefined;
  if (isOfAccounts)
    return accountId === undefined
      ? sql`(select id from accounts union all select ${NO_OWNER}::uuid)`
      : sql`(select ${accountId}::uuid as id)`;
  if (accountId === undefined) return keyId === undefined ? undefined : sql`(select ${keyId}::uuid as id)`;
  const own = ofAccount(accountId, sinceMs);
  return keyId === undefined ? own : sql`(select id from ${own} own where id = ${keyId})`;
}

function groupOf(by: UsageGroup, owner: SQL, start: SQL): SQL {
  switch (by) {
    case 'key':
      return owner;
    case 'network':
    case 'method':
      return sql.identifier(by).getSQL();
    case 'minute':
      return start;
    case 'hour':
    case 'day':
      return startOf(by, start);
  }
  by satisfies never;
  throw new Error('unknown grouping');
}

async function withNames({ db }: Pick<Store, 'db'>, sums: readonly UsageSum[]): Promise<readonly UsageSum[]> {
  const ids = sql.param(sums.map(({ group }) => group));
  const { rows } = await db.execute<KeyName>(sql`
    select k.id, k.name, case when a.kind = 'development' then ${DEVELOPMENT} else a.name end as account
    from (
      select id, account_id, name from api_keys where id = any(${ids}::uuid[])
      union all
      select m.id, m.account_id, 'Dashboard (' || l.email || ')' from members m join logins l on l.id = m.user_id
      where m.id = any(${ids}::uuid[])
    ) k join accounts a on a.id = k.account_id`);
  const names = new Map(rows.map(({ id, name, account }) => [id, { name, account }]));
  return sums.map((sum) => ({ ...sum, key: names.get(sum.group) ?? { name: null, account: null } }));
}
