import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { readSums } from '../../store/read-sums.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { type SpanPart, splitSpan } from './split-span.ts';
import { isTimeGroup, type WalletUsageGroup } from './usage-groups.ts';
import { printInstant, startOf } from './usage-time.ts';
import { ACTION_OF_PRICE, callerId, isServed, isWalletRequest } from './sum-wallet-usage.ts';

export type WalletUsageQuery = {
  /** From the beginning of this minute. */
  readonly sinceMs: number;
  /** Before the beginning of this minute; undefined: up to now. */
  readonly untilMs?: number | undefined;
  readonly by: WalletUsageGroup;
  /** Undefined: all accounts. */
  readonly accountId: string | undefined;
};

/** A sum. `group`: the id of the token or of the member, the operation as the audit log calls it, or the instant at which the minute, hour or day began. */
export type WalletUsageSum = {
  readonly group: string;
  /** Only by `day_operation`, whose group is the day. */
  readonly operation?: string;
  /** Requests that were carried out, the answers of earlier ones included. */
  readonly requests: number;
  /** Requests that were answered with an error. */
  readonly refused: number;
  /** Only by token; no name for one that the store does not have. A member's requests are those of the dashboard. */
  readonly token?: { readonly name: string | null; readonly account: string };
  /** Not by token: the books do not know it. `cost` in micro-USD. */
  readonly charged?: { readonly units: bigint; readonly cost: bigint };
};

type RequestRow = {
  readonly group: string;
  readonly requests: string;
  readonly refused: string;
  readonly name: string | null;
  readonly account: string;
};

type ChargeRow = { readonly group: string; readonly units: string; readonly cost: string };

type Part = SpanPart<'hour' | 'minute'>;

/** Between the day and the operation of a sum of both. */
const DAY_END = ' ';

/**
 * Returns sums of the use of the wallet service by access tokens, and by members in the dashboard, in the order of their groups: times
 * ascending, others by the most requests first. They come from the audit log (requests) and the books (charges): whole hours from their
 * sums, as far as those reach (see `sumWalletUsage`).
 */
export async function readWalletUsage(
  store: Pick<Store, 'batched'>,
  { by, accountId, ...span }: WalletUsageQuery,
): Promise<readonly WalletUsageSum[]> {
  const parts = splitSpan(span, by === 'minute' ? ['minute'] : ['hour', 'minute']);
  if (parts.length === 0) return [];
  const owners = sql`(
    select id, case when kind = 'development' then ${DEVELOPMENT} else name end as name,
      coalesce(seq, 0) as seq, coalesce(charged_id, 0) as charged_id
    from accounts left join wallet_sum_tips on account_id = id
    ${accountId === undefined ? sql`` : sql`where id = ${accountId}`}) a`;
  const requests = await readSums<RequestRow>(store, requestSums(by, owners, parts));
  const charges =
    by === 'token' ? undefined : await readSums<ChargeRow>(store, chargeSums(by, owners, parts));
  const charged = Map.groupBy(charges ?? [], ({ group }) => withAction(group));
  const known = new Map(requests.map((row) => [row.group, row]));
  const sums = [...new Set([...known.keys(), ...charged.keys()])].map((group) => {
    const row = known.get(group);
    return {
      ...(by === 'day_operation' ? splitGroup(group) : { group }),
      requests: Number(row?.requests ?? 0),
      refused: Number(row?.refused ?? 0),
      ...(by === 'token' && row !== undefined && { token: { name: row.name, account: row.account } }),
      ...(by !== 'token' && { charged: totalOf(charged.get(group) ?? []) }),
    };
  });
  return sums.sort(isTimeGroup(by) || by === 'day_operation' ? byGroup : byRequests);
}

/** Replaces a price row by its operation, also after a day. */
function withAction(group: string): string {
  const [row = '', ...day] = group.split(DAY_END).reverse();
  return [...day, ACTION_OF_PRICE.get(row) ?? row].join(DAY_END);
}

function splitGroup(group: string): Required<Pick<WalletUsageSum, 'group' | 'operation'>> {
  const [day = '', operation = ''] = group.split(DAY_END);
  return { group: day, operation };
}

/** The sums of whole hours; the records after them, from the chain; and those of the rest of the span, by time. */
function requestSums(by: WalletUsageGroup, owners: SQL, parts: readonly Part[]): SQL {
  const group = (at: SQL): SQL => (by === 'token' ? sql`caller_id` : groupOf(by, at, sql`action`));
  // Only sums by token have names; without the token, the others have far fewer groups.
  const caller = by === 'token' ? sql`caller_id` : sql`null::uuid`;
  const isMinute = by === 'minute';
  const records = (walked: SQL, rest: SQL): SQL => sql`
    select ${group(sql`at`)} as "group", ${caller} as caller_id,
      count(*) filter (where is_served and action <> 'create')
        + count(distinct case when is_served and action = 'create' then request_id end) as requests,
      coalesce(sum(units) filter (where not is_served), 0) as refused
    from (select at, seq, action, request_id, units, ${callerId} as caller_id, ${isServed} as is_served from audit_records
      where account_id = a.id and ${walked} and ${isWalletRequest} offset 0) records
    where ${rest} group by 1, 2`;
  const selects = parts.map((part) => {
    if (part.unit === 'minute')
      return records(within(sql`at`, part), isMinute ? sql`true` : sql`seq <= a.seq`);
    return sql`select ${group(sql`hour`)} as "group", ${caller} as caller_id, requests, refused
      from (select hour, token_id as caller_id, action, requests, refused from wallet_request_hours
        where account_id = a.id and ${within(sql`hour`, part)}) hours`;
  });
  if (!isMinute) selects.push(records(sql`seq > a.seq`, sql`(${anyOf(sql`at`, parts)})`));
  return sql`
    select ${printGroup(by)} as "group", sum(requests) as requests, sum(refused) as refused,
      min(coalesce(t.name, 'Dashboard (' || l.email || ')')) as name, min(a.name) as account
    from ${owners} cross join lateral (${sql.join(selects, sql` union all `)}) r
    left join access_tokens t on t.id = r.caller_id
    left join members m on m.id = r.caller_id left join logins l on l.id = m.user_id
    group by r."group"`;
}

function chargeSums(by: Exclude<WalletUsageGroup, 'token'>, owners: SQL, parts: readonly Part[]): SQL {
  const group = (at: SQL): SQL => groupOf(by, at, sql`operation`);
  const charges = (walked: SQL, rest: SQL): SQL => sql`
    select "group", units, amount as cost from (
      select id, created_at, ${group(sql`created_at`)} as "group", units from ledger_transactions
      where account_id = a.id and ${walked} and kind = 'charge' offset 0
    ) t join ledger_entries e on e.transaction_id = t.id and e.kind = 'revenue' where ${rest}`;
  const selects = parts.map((part) => {
    if (part.unit === 'minute') return charges(within(sql`created_at`, part), sql`true`);
    return sql`select ${group(sql`hour`)} as "group", units, cost from wallet_charge_sums
      where account_id = a.id and ${within(sql`hour`, part)}`;
  });
  const hours = parts.filter(({ unit }) => unit === 'hour');
  if (hours.length > 0)
    selects.push(charges(sql`id > a.charged_id`, sql`(${anyOf(sql`t.created_at`, hours)})`));
  return sql`
    select ${printGroup(by)} as "group", sum(units) as units, sum(cost) as cost
    from ${owners} cross join lateral (${sql.join(selects, sql` union all `)}) c
    group by c."group"`;
}

function groupOf(by: Exclude<WalletUsageGroup, 'token'>, at: SQL, operation: SQL): SQL {
  if (by === 'operation') return operation;
  if (by !== 'day_operation') return startOf(by, at);
  return sql`${printInstant(startOf('day', at))} || ${sql.raw(`'${DAY_END}'`)} || ${operation}`;
}

function printGroup(by: WalletUsageGroup): SQL {
  return isTimeGroup(by) ? printInstant(sql`"group"`) : sql`"group"::text`;
}

function within(at: SQL, { fromMs, toMs }: Part): SQL {
  const isBefore =
    toMs === undefined ? sql`` : sql` and ${at} < ${new Date(toMs).toISOString()}::timestamptz`;
  return sql`${at} >= ${new Date(fromMs).toISOString()}::timestamptz${isBefore}`;
}

function anyOf(at: SQL, parts: readonly Part[]): SQL {
  return sql.join(
    parts.map((part) => sql`(${within(at, part)})`),
    sql` or `,
  );
}

function totalOf(rows: readonly ChargeRow[]): { readonly units: bigint; readonly cost: bigint } {
  return {
    units: rows.reduce((sum, { units }) => sum + BigInt(units), 0n),
    cost: rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n),
  };
}

function byGroup(a: WalletUsageSum, b: WalletUsageSum): number {
  return a.group + (a.operation ?? '') < b.group + (b.operation ?? '') ? -1 : 1;
}

function byRequests(a: WalletUsageSum, b: WalletUsageSum): number {
  return b.requests - a.requests || b.refused - a.refused || byGroup(a, b);
}
