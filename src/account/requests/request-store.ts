import { randomInt } from 'node:crypto';
import type { RequestProtocol } from '../../core/request-id.ts';
import { requestLogs, requests } from '../../store/request-tables.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { createStatement } from '../../store/statement.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { countBatch } from '../usage/count-batch.ts';

/** One request of an account, as it is kept. A member that is undefined is not known, or has no meaning for the request. */
export type RequestRow = {
  readonly accountId: string;
  /** When it was answered. */
  readonly atMs: number;
  readonly requestId: string;
  readonly protocol: RequestProtocol;
  readonly network?: string | undefined;
  readonly method: string;
  readonly callerKind: 'key' | 'token' | 'member';
  readonly callerId: string;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly rpcCode?: number | undefined;
  readonly durationUs?: number | undefined;
  readonly bytesIn?: number | undefined;
  readonly bytesOut?: number | undefined;
  readonly node?: string | undefined;
  readonly params?: string | undefined;
};

/** Requests that are added together, once. `number` grows by one with each batch of a writer, from 1. */
export type RequestBatch = {
  readonly writerId: string;
  readonly number: number;
  readonly rows: readonly RequestRow[];
};

const SHIFT = 16n;
/** The first id of a millisecond leaves room for as many as may follow in it. */
const FIRST_IDS = 2 ** 15;
/** Later instants have no id: it would exceed a `bigint`. */
const MAX_MS = 2 ** 46;

/** Returns the lowest id that a request answered at an instant can have. */
export function firstIdAt(atMs: number): bigint {
  return BigInt(Math.min(Math.max(0, Math.floor(atMs)), MAX_MS)) << SHIFT;
}

/** Returns when the request with this id was answered. */
export function instantOf(id: bigint): Date {
  return new Date(Number(id >> SHIFT));
}

/**
 * Adds a batch of requests in the order of their time, in one statement: all or nothing. A batch is never added twice, so one with an unknown outcome can be sent
 * again.
 *
 * @returns the number of rows that were not added, because another process had used their ids.
 */
export async function addRequests(
  { db }: Pick<Store, 'db'>,
  { writerId, number, rows }: RequestBatch,
  nowMs: number,
): Promise<number> {
  let lastId = 0n;
  const newId = (atMs: number): string => {
    const first = firstIdAt(atMs);
    lastId = lastId < first ? first + BigInt(randomInt(FIRST_IDS)) : lastId + 1n;
    return String(lastId);
  };
  const batch = rows.map(({ atMs, ...row }) => ({ id: newId(atMs), ...row }));
  const values = { writerId, number, now: new Date(nowMs).toISOString(), batch: JSON.stringify(batch) };
  const { rows: counted } = await insertBatch(db, values);
  return counted[0]?.lost ?? 0;
}

type InsertedBatch = {
  readonly writerId: string;
  readonly number: number;
  readonly now: string;
  readonly batch: string;
};

const insertBatch = createStatement<InsertedBatch, { readonly lost: number }>(
  (param) => sql`
    with fresh as (${countBatch({ writerId: param('writerId'), number: param('number') }, param('now'))}), batch as materialized (
      select * from json_to_recordset(${param('batch')}::json) as batch (
        "accountId" uuid, "id" bigint, "requestId" text, "protocol" text, "network" text, "method" text, "callerKind" text,
        "callerId" uuid, "status" integer, "error" text, "rpcCode" integer, "durationUs" bigint, "bytesIn" bigint, "bytesOut" bigint,
        "node" text, "params" text)
      where exists (select from fresh)
    ), added as (
      insert into ${requests} (account_id, id, request_id, protocol, network, method, caller_kind, caller_id, status, error,
        rpc_code, duration_us, bytes_in, bytes_out, node, params)
      select * from batch order by "accountId", "id"
      on conflict do nothing returning account_id, id
    ), counted as (
      insert into ${requestLogs} as kept (account_id, rows, oldest)
      select account_id, count(*), min(id) from added group by 1 order by 1
      on conflict (account_id) do update set
        rows = kept.rows + excluded.rows, oldest = least(kept.oldest, excluded.oldest)
    )
    select ((select count(*) from batch) - (select count(*) from added))::integer as lost`,
);

export type RequestBounds = {
  /** Requests before this instant are deleted. */
  readonly beforeMs: number;
  /** Requests of an account, and of all accounts together, that are kept. */
  readonly maxRows: number;
  readonly maxTotalRows: number;
};

/** Rows that a step deletes at most. */
const PURGE_ROWS = 5_000;

/**
 * Deletes the oldest requests of an account that are too old or too many, at most 5,000. If those of all accounts are too many, the account
 * with the most gives way. One process does so at a time, so that no excess is deleted twice.
 *
 * @returns true if there may be more.
 */
export function purgeRequests(store: Pick<Store, 'transaction'>, bounds: RequestBounds): Promise<boolean> {
  return store.transaction(async (tx) => {
    const { rows: locks } = await tx.execute<{ readonly is_own: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('keyslot requests of ' || current_schema(), 0)) as is_own`,
    );
    const due = locks[0]?.is_own === true ? await findDue(tx, bounds) : undefined;
    if (due === undefined) return false;
    await deleteOldest(tx, due, firstIdAt(bounds.beforeMs));
    return true;
  });
}

/** The requests of an account that are to be deleted: its oldest. */
type Due = { readonly accountId: string; readonly below: bigint; readonly limit: number };

async function findDue(
  tx: StoreTransaction,
  { beforeMs, maxRows, maxTotalRows }: RequestBounds,
): Promise<Due | undefined> {
  const before = firstIdAt(beforeMs);
  const { rows } = await tx.execute<{ readonly account_id: string; readonly excess: string | null }>(sql`
    with due as (
      select account_id, case when oldest < ${String(before)}::bigint then null else rows - ${maxRows} end as excess
      from ${requestLogs} where oldest < ${String(before)}::bigint or rows > ${maxRows} limit 1
    ), all_rows as (select sum(rows) - ${maxTotalRows} as excess from ${requestLogs} where not exists (select from due))
    select account_id, excess from due union all
    (select account_id, least(rows, (select excess from all_rows)) from ${requestLogs}
      where (select excess from all_rows) > 0 order by rows desc limit 1)`);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { account_id: accountId, excess } = found;
  if (excess === null) return { accountId, below: before, limit: PURGE_ROWS };
  return { accountId, below: firstIdAt(MAX_MS), limit: Math.min(PURGE_ROWS, Number(excess)) };
}

async function deleteOldest(
  tx: StoreTransaction,
  { accountId, below, limit }: Due,
  before: bigint,
): Promise<void> {
  await tx.execute(sql`
    with doomed as (
      select id from ${requests} where account_id = ${accountId} and id < ${String(below)}::bigint order by id limit ${limit}
    ), gone as (
      delete from ${requests} where account_id = ${accountId} and id in (select id from doomed) returning id
    )
    update ${requestLogs} set
      rows = rows - (select count(*) from gone),
      oldest = case when rows > (select count(*) from gone) then coalesce((
        select id from ${requests}
        where account_id = ${accountId} and id > (select max(id) from doomed) order by id limit 1
      ), ${String(before)}::bigint) end
    where account_id = ${accountId}`);
}
