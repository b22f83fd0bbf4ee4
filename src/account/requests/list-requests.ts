import type { SQL } from 'drizzle-orm';
import type { ListPosition } from '../../core/read-page.ts';
import { sql } from '../../store/drizzle.ts';
import type { PageQuery } from '../../store/list-page.ts';
import type { Store } from '../../store/open-store.ts';
import { readInOrder } from '../../store/read-in-order.ts';
import { requests } from '../../store/request-tables.ts';
import { createRowReader } from '../../store/select-rows.ts';
import { createStatement, type PlaceholderOf } from '../../store/statement.ts';
import { firstIdAt, instantOf } from './request-store.ts';

/** Selects requests of an account; a filter that is undefined matches all of them. */
export type RequestFilters = {
  readonly requestId?: string | undefined;
  readonly protocol?: string | undefined;
  readonly network?: string | undefined;
  readonly method?: string | undefined;
  readonly callerId?: string | undefined;
  readonly outcome?: 'ok' | 'failed' | undefined;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly node?: string | undefined;
  readonly minDurationMs?: number | undefined;
  readonly minBytes?: number | undefined;
};

/** A request, and the name of its API key or access token, or the email of its member. */
export type ListedRequest = typeof requests.$inferSelect & { readonly callerName: string | null };

/** `next` is undefined on the last page. */
export type RequestPage = {
  readonly requests: readonly ListedRequest[];
  readonly next: ListPosition | undefined;
};

/** Number of requests that a page examines: it takes milliseconds, however few of them match. */
export const EXAMINED = 8_000;

const readRow = createRowReader(requests);

/**
 * Lists requests of an account, newest first. A page that filters by something without an index may have fewer than `limit`, even none, and
 * still a `next`.
 */
export async function listRequests(
  { batched }: Pick<Store, 'batched'>,
  accountId: string,
  { since, until, after, limit, ...filters }: RequestFilters & PageQuery,
): Promise<RequestPage> {
  const before = until === undefined ? MAX_ID : firstIdAt(until.getTime());
  const cursor = after === undefined ? MAX_ID : BigInt(after.id);
  const values = {
    accountId,
    from: String(since === undefined ? 0n : firstIdAt(since.getTime())),
    before: String(cursor < before ? cursor : before),
    limit: limit + 1,
    requestId: filters.requestId ?? null,
    protocol: filters.protocol ?? null,
    network: filters.network ?? null,
    method: filters.method ?? null,
    callerId: filters.callerId ?? null,
    outcome: filters.outcome ?? null,
    status: filters.status ?? null,
    error: filters.error ?? null,
    node: filters.node ?? null,
    minDurationUs: filters.minDurationMs === undefined ? null : filters.minDurationMs * 1_000,
    minBytes: filters.minBytes ?? null,
  };
  const select = STATEMENTS[walkOf(filters)];
  const [, { rows }] = await batched((db) => [readInOrder(db), select(db, values)]);
  const found = rows
    .filter(({ id }) => id !== null)
    .map((row) => ({ ...readRow(row), callerName: row.caller_name }));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)?.id : rows[0]?.walked_id;
  const next = last === undefined || last === null ? undefined : BigInt(last);
  return { requests: page, next: next === undefined ? undefined : { at: instantOf(next), id: String(next) } };
}

/** The largest `bigint` of PostgreSQL. */
const MAX_ID = 2n ** 63n - 1n;

type WalkValues = {
  readonly [name in
    | ('accountId' | 'from' | 'before' | 'limit')
    | ('requestId' | 'protocol' | 'network' | 'method' | 'callerId' | 'outcome')
    | ('status' | 'error' | 'node' | 'minDurationUs' | 'minBytes')]: string | number | null;
};

/** A request; no `id` if none was found. */
type WalkedRow = Readonly<Record<string, unknown>> & {
  readonly id: string | null;
  readonly caller_name: string | null;
  /** The last request that was examined, if that was not the last one and fewer matched than a page has. */
  readonly walked_id: string | null;
};

type Param = PlaceholderOf<WalkValues>;

/** The requests of an account between two ids, with a condition. */
const bounded = (param: Param, condition: SQL): SQL =>
  sql`account_id = ${param('accountId')} ${condition} and id >= ${param('from')}::bigint and id < ${param('before')}::bigint`;

/** The position of a request with an error in the order of `requests_error`. */
const erring = (param: Param, id: 'from' | 'before'): SQL =>
  sql`(${param('accountId')}::uuid, ${param('error')}::text, ${param(id)}::bigint)`;

/** An index of `requests` that is walked from its end: the rows that it selects, and its order. */
const WALKS = {
  all: { order: 'id desc', where: (param) => bounded(param, sql``) },
  request: {
    order: 'id desc',
    where: (param) => bounded(param, sql`and request_id = ${param('requestId')}`),
  },
  caller: { order: 'id desc', where: (param) => bounded(param, sql`and caller_id = ${param('callerId')}`) },
  method: { order: 'id desc', where: (param) => bounded(param, sql`and method = ${param('method')}`) },
  failed: { order: 'id desc', where: (param) => bounded(param, sql`and error is not null`) },
  // Written so that no other index has the order: PostgreSQL would walk that of all errors for a rare one.
  error: {
    order: 'account_id desc, error desc, id desc',
    where: (param) => sql`error is not null and (account_id, error, id) >= ${erring(param, 'from')}
      and (account_id, error, id) < ${erring(param, 'before')}`,
  },
} as const satisfies Readonly<
  Record<string, { readonly order: string; readonly where: (param: Param) => SQL }>
>;

type Walk = keyof typeof WALKS;

/** Returns the index that leaves the fewest to examine. */
function walkOf({ requestId, callerId, method, outcome, error }: RequestFilters): Walk {
  if (requestId !== undefined) return 'request';
  if (error !== undefined) return 'error';
  if (outcome === 'failed') return 'failed';
  if (callerId !== undefined) return 'caller';
  return method === undefined ? 'all' : 'method';
}

const STATEMENTS = {
  all: createWalk('all'),
  request: createWalk('request'),
  caller: createWalk('caller'),
  method: createWalk('method'),
  error: createWalk('error'),
  failed: createWalk('failed'),
} as const satisfies Readonly<Record<Walk, unknown>>;

/** Creates the statement that walks an index and filters. Runs after `readInOrder`. */
function createWalk(walk: Walk) {
  const examined = sql.raw(String(EXAMINED));
  return createStatement<WalkValues, WalkedRow>((param) => {
    const isAny = (name: keyof WalkValues & string, type: string, test: SQL): SQL =>
      sql`(${param(name)}${sql.raw(`::${type}`)} is null or ${test})`;
    const filters = [
      isAny('protocol', 'text', sql`protocol = ${param('protocol')}`),
      isAny('network', 'text', sql`network = ${param('network')}`),
      isAny('method', 'text', sql`method = ${param('method')}`),
      isAny('callerId', 'uuid', sql`caller_id = ${param('callerId')}`),
      isAny('outcome', 'text', sql`(error is null) = (${param('outcome')} = 'ok')`),
      isAny('status', 'integer', sql`status = ${param('status')}`),
      isAny('error', 'text', sql`error = ${param('error')}`),
      isAny('node', 'text', sql`node = ${param('node')}`),
      isAny('minDurationUs', 'bigint', sql`duration_us >= ${param('minDurationUs')}`),
      isAny('minBytes', 'bigint', sql`bytes_out >= ${param('minBytes')}`),
    ];
    const { where, order: names } = WALKS[walk];
    const order = sql.raw(names);
    const walked = sql`from requests where ${where(param)} order by ${order}`;
    return sql`
      with found as materialized (
        select * from (select * ${walked} limit ${examined}) walked
        where ${sql.join(filters, sql` and `)} order by ${order} limit ${param('limit')}
      ), last as (
        select id from (select id ${walked} limit ${examined}) walked where (select count(*) from found) < ${param('limit')} offset ${examined} - 1 limit 1
      )
      select found.*, last.id as walked_id, case found.caller_kind
        when 'key' then (select name from api_keys k where k.id = found.caller_id)
        when 'token' then (select name from access_tokens t where t.id = found.caller_id)
        else (select l.email from members m join logins l on l.id = m.user_id where m.id = found.caller_id) end as caller_name
      from (select) as one left join last on true left join found on true
      order by found.id desc`;
  });
}
