import type { SQL } from 'drizzle-orm';
import { OPERATIONS } from '../../generated/wallets/operations.ts';
import { sql } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { isCalled } from './accounts.ts';
import { DEVELOPMENT } from './development-name.ts';
import type { WalletUsageGroup } from './usage-group.ts';
import { isTimeGroup, TIME_GROUPS } from './usage-time.ts';

export type WalletUsageQuery = {
  readonly sinceMs: number;
  readonly by: WalletUsageGroup;
  /** Name of an account; undefined: all accounts. */
  readonly account: string | undefined;
};

/** A sum. `group`: the token's id, the operation as the audit log calls it, or the instant at which the minute, hour or day began. */
export type WalletUsageSum = {
  readonly group: string;
  /** Requests that were carried out, the answers of earlier ones included. */
  readonly requests: number;
  /** Requests that were answered with an error. */
  readonly refused: number;
  /** Only by token; no name for a token that the store does not have. */
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

/** Names of the operations in the audit log. */
const ACTIONS = [...new Set(Object.values(OPERATIONS).map(({ audit }) => audit))];

/** The operation that each price row belongs to. */
const ACTION_OF_PRICE = new Map<string, string>(
  Object.values(OPERATIONS).flatMap(({ audit, prices }) => prices.map((price) => [price, audit] as const)),
);

/**
 * Returns sums of what access tokens were used for, in the order of their groups: times ascending, others by the most requests first. They
 * come from the audit log (requests) and the books (charges).
 */
export async function readWalletUsage(
  { db }: Pick<Store, 'db'>,
  { sinceMs, by, account }: WalletUsageQuery,
): Promise<readonly WalletUsageSum[]> {
  const since = new Date(Math.floor(sinceMs / 60_000) * 60_000).toISOString();
  const owners = sql`(select id, case when kind = 'development' then ${DEVELOPMENT} else name end as name
    from accounts${account === undefined ? sql`` : sql` where ${isCalled(account)}`}) a`;
  const requests = await db.execute<RequestRow>(requestSums(by, owners, since));
  const charges = by === 'token' ? undefined : await db.execute<ChargeRow>(chargeSums(by, owners, since));
  const charged = Map.groupBy(charges?.rows ?? [], ({ group }) => ACTION_OF_PRICE.get(group) ?? group);
  const known = new Map(requests.rows.map((row) => [row.group, row]));
  const sums = [...new Set([...known.keys(), ...charged.keys()])].map((group) => {
    const row = known.get(group);
    return {
      ...{ group, requests: Number(row?.requests ?? 0), refused: Number(row?.refused ?? 0) },
      ...(by === 'token' && row !== undefined && { token: { name: row.name, account: row.account } }),
      ...(by !== 'token' && { charged: totalOf(charged.get(group) ?? []) }),
    };
  });
  return sums.sort(isTimeGroup(by) ? byGroup : byRequests);
}

function requestSums(by: WalletUsageGroup, owners: SQL, since: string): SQL {
  const group =
    by === 'token' ? sql`token_id::text` : by === 'operation' ? sql`action` : TIME_GROUPS[by](sql`at`);
  const served = sql`outcome in ('ok', 'replayed', 'interrupted')`;
  // A request that creates may have a record for each wallet.
  return sql`
    select "group",
      count(*) filter (where is_served and action <> 'create')
        + count(distinct case when is_served and action = 'create' then request_id end) as requests,
      coalesce(sum(units) filter (where not is_served), 0) as refused, min(t.name) as name, min(a.name) as account
    from ${owners} cross join lateral (
      select ${group} as "group", action, request_id, units, token_id, ${served} as is_served from audit_records
      where account_id = a.id and at >= ${since} and token_id is not null and action = any(${sql.param(ACTIONS)}) offset 0
    ) r left join access_tokens t on t.id = r.token_id
    group by 1`;
}

function chargeSums(by: Exclude<WalletUsageGroup, 'token'>, owners: SQL, since: string): SQL {
  const group = by === 'operation' ? sql`operation` : TIME_GROUPS[by](sql`created_at`);
  return sql`
    select "group", sum(units) as units, sum(amount) as cost
    from ${owners} cross join lateral (
      select id, ${group} as "group", units from ledger_transactions
      where account_id = a.id and created_at >= ${since} and kind = 'charge' offset 0
    ) t join ledger_entries e on e.transaction_id = t.id and e.kind = 'revenue'
    group by 1`;
}

function totalOf(rows: readonly ChargeRow[]): { readonly units: bigint; readonly cost: bigint } {
  return {
    units: rows.reduce((sum, { units }) => sum + BigInt(units), 0n),
    cost: rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n),
  };
}

function byGroup(a: WalletUsageSum, b: WalletUsageSum): number {
  return a.group < b.group ? -1 : 1;
}

function byRequests(a: WalletUsageSum, b: WalletUsageSum): number {
  return b.requests - a.requests || b.refused - a.refused || byGroup(a, b);
}
