import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { UNIT_MS } from './split-span.ts';
import type { SQL } from 'drizzle-orm';
import { OPERATIONS } from '../../../generated/wallets/operations.ts';

/** Number of records, and of charges, that a step adds to the sums in tenths of a second. */
const STEP_ROWS = 20_000;
/** Records without sums that an account may have; `readWalletUsage` counts them one by one. */
const DUE_RECORDS = 1_000;
/** A request that creates wallets may have a record for each; a record further back than this belongs to another request. */
const REQUEST_RECORDS = 10_000;

type Tip = { readonly seq: string; readonly charged_id: string };

/**
 * Adds records and charges of one account to the sums by hour, in one transaction, which several servers may do at once.
 *
 * @returns true if there may be more to do.
 */
export async function sumWalletUsage(
  store: Pick<Store, 'db' | 'transaction'>,
  nowMs: number,
): Promise<boolean> {
  const { rows } = await store.db.execute<{ readonly account_id: string }>(sql`
    select t.account_id from audit_tips t left join wallet_sum_tips s on s.account_id = t.account_id
    where t.seq - coalesce(s.seq, 0) >= ${DUE_RECORDS}
      or s.seq is not null and coalesce(s.charges_summed_at, '-infinity') < ${new Date(nowMs - UNIT_MS.day)} limit 1`);
  const accountId = rows[0]?.account_id;
  if (accountId === undefined) return false;
  await store.transaction(async (tx) => {
    const tip = await lockTip(tx, accountId);
    await sumRequests(tx, accountId, Number(tip.seq));
    await sumCharges(tx, accountId, { tip: tip.charged_id, nowMs });
  });
  return true;
}

async function lockTip(tx: StoreTransaction, accountId: string): Promise<Tip> {
  const { rows } = await tx.execute<Tip>(sql`
    insert into wallet_sum_tips (account_id, seq, charged_until) values (${accountId}, 0, ${new Date(0)})
    on conflict (account_id) do update set account_id = excluded.account_id
    returning seq, charged_id`);
  const [tip] = rows;
  if (tip === undefined) throw new Error('the sums of an account were not locked');
  return tip;
}

/** Records of a chain are committed in the order of their numbers, so none is left out. */
async function sumRequests(tx: StoreTransaction, accountId: string, tip: number): Promise<void> {
  const { rows } = await tx.execute<{ readonly seq: string }>(sql`
    update wallet_sum_tips set seq = least(t.seq, ${tip + STEP_ROWS}) from audit_tips t
    where wallet_sum_tips.account_id = ${accountId} and t.account_id = ${accountId} returning wallet_sum_tips.seq`);
  await tx.execute(sql`
    insert into wallet_request_hours as sums (account_id, hour, token_id, action, requests, refused)
    select ${accountId}::uuid, date_trunc('hour', at, 'UTC'), caller_id, action,
      count(*) filter (where is_served and (action <> 'create' or nth = 1)),
      coalesce(sum(units) filter (where not is_served), 0)
    from (
      select seq, at, ${callerId} as caller_id, action, units, ${isServed} as is_served,
        row_number() over (partition by request_id, action, ${isServed} order by seq) as nth
      from audit_records
      where account_id = ${accountId} and seq > ${tip - REQUEST_RECORDS} and seq <= ${Number(rows[0]?.seq ?? tip)}
        and ${isWalletRequest}
    ) records
    where seq > ${tip}
    group by 2, 3, 4
    on conflict (account_id, hour, token_id, action) do update set
      requests = sums.requests + excluded.requests, refused = sums.refused + excluded.refused`);
}

/**
 * The books of an account are locked when a movement gets its number, so movements are committed in the order of their numbers, whatever
 * time their server's clock gave them. An account with more than a step is due again at once.
 */
async function sumCharges(
  tx: StoreTransaction,
  accountId: string,
  { tip, nowMs }: { readonly tip: string; readonly nowMs: number },
): Promise<void> {
  const { rows } = await tx.execute<{ readonly last: string | null; readonly count: string }>(sql`
    select max(id) as last, count(*) as count from (
      select id from ledger_transactions where account_id = ${accountId} and id > ${tip}::bigint order by id limit ${STEP_ROWS}) step`);
  const last = rows[0]?.last ?? tip;
  await tx.execute(sql`
    insert into wallet_charge_sums as sums (account_id, hour, operation, units, cost)
    select ${accountId}::uuid, date_trunc('hour', t.created_at, 'UTC'), t.operation, sum(t.units), sum(e.amount)
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.kind = 'revenue'
    where t.account_id = ${accountId} and t.id > ${tip}::bigint and t.id <= ${last}::bigint and t.kind = 'charge'
    group by 2, 3
    on conflict (account_id, hour, operation) do update set
      units = sums.units + excluded.units, cost = sums.cost + excluded.cost`);
  const summedAt = Number(rows[0]?.count ?? 0) < STEP_ROWS ? new Date(nowMs) : null;
  await tx.execute(sql`
    update wallet_sum_tips set charged_id = ${last}::bigint, charges_summed_at = ${summedAt} where account_id = ${accountId}`);
}

/** Names of the wallet operations in the audit log. */
const ACTIONS = [...new Set(Object.values(OPERATIONS).map(({ audit }) => audit))];

/** The operation that each price row belongs to. */
export const ACTION_OF_PRICE: ReadonlyMap<string, string> = new Map(
  Object.values(OPERATIONS).flatMap(({ audit, prices }) => prices.map((price) => [price, audit] as const)),
);

/** The caller in a record: an access token, or a member in the dashboard. */
export const callerId: SQL = sql`coalesce(token_id, member_id)`;

/** Condition of the records that are requests to the wallet service. */
export const isWalletRequest: SQL = sql`${callerId} is not null and action = any(${sql.param(ACTIONS)})`;

/** Condition of the requests that were carried out, including answers of earlier ones. */
export const isServed: SQL = sql`outcome in ('ok', 'replayed', 'interrupted')`;
