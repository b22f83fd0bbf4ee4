import type { SQL } from 'drizzle-orm';
import type { ListPosition } from '../../core/read-page.ts';
import { auditRecords } from '../../store/audit-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { readInOrder } from '../../store/read-in-order.ts';
import { createRowReader } from '../../store/select-rows.ts';
import { isTimed, type PageQuery, pageBounds, type PageBounds } from '../../store/list-page.ts';
import { sql } from '../../store/drizzle.ts';
import { createStatement, type PlaceholderOf } from '../../store/statement.ts';

/** Selects records of an account; a filter that is undefined matches all of them. */
export type AuditFilters = {
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly walletId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly memberId?: string | undefined;
};

/** A record, with all that its hash covers, and the name of its token. */
export type ListedRecord = typeof auditRecords.$inferSelect & { readonly tokenName: string | null };

/** `next` is undefined on the last page. */
export type AuditPage = {
  readonly records: readonly ListedRecord[];
  readonly next: ListPosition | undefined;
};

const readRecord = createRowReader(auditRecords);

/**
 * Lists records of an account's audit log, newest first. They are in the order of the chain; with `since` or `until`, and without a wallet,
 * in that of time, from which the chain deviates where clocks differ. The pages contain each record that existed before the first of them
 * exactly once, whatever is written meanwhile. A page of filtered records may have fewer than `limit`, even none, and still a `next`.
 */
export async function listAudit(
  { batched }: Pick<Store, 'batched'>,
  accountId: string,
  { action, outcome, walletId, tokenId, memberId, ...page }: AuditFilters & PageQuery,
): Promise<AuditPage> {
  const walk = walletId !== undefined ? 'wallet' : isTimed(page) ? 'time' : 'chain';
  const isFiltering =
    [action, outcome, tokenId, memberId].some((one) => one !== undefined) ||
    (walk === 'wallet' && isTimed(page));
  const select = walkStatement(walk, isFiltering);
  const values = {
    accountId,
    walletId: walletId ?? '',
    ...pageBounds(page, walk === 'time'),
    action: action ?? null,
    outcome: outcome ?? null,
    tokenId: tokenId ?? null,
    memberId: memberId ?? null,
  };
  const [, { rows }] = await batched((db) => [readInOrder(db), select(db, values)]);
  const found = rows.filter(({ seq }) => seq !== null);
  const records = found
    .slice(0, page.limit)
    .map((row) => ({ ...readRecord(row), tokenName: row.token_name }));
  const last = found.length > page.limit ? records.at(-1) : undefined;
  return { records, next: last === undefined ? walkedTo(rows[0]) : { at: last.at, id: String(last.seq) } };
}

function walkedTo({ walked_at: at, walked_seq: seq }: Partial<WalkedRow> = {}): ListPosition | undefined {
  return typeof at === 'string' ? { at: new Date(at), id: String(seq) } : undefined;
}

/** An index of `audit_records` that is walked from its end. */
type Walk = 'chain' | 'wallet' | 'time';

/** The criteria of a walk; null matches everything. */
type WalkValues = PageBounds & {
  readonly accountId: string;
  readonly walletId: string;
  readonly action: string | null;
  readonly outcome: string | null;
  readonly tokenId: string | null;
  readonly memberId: string | null;
};

/** A record and the name of its token; no `seq` if none was found. */
type WalkedRow = Readonly<Record<string, unknown>> & {
  readonly seq: unknown;
  readonly token_name: string | null;
  /** The last record that a filtering walk examined, if it did not reach the end. */
  readonly walked_at?: string | null;
  readonly walked_seq?: unknown;
};

type Param = PlaceholderOf<WalkValues>;

/** Number of records that a filtering walk examines: it takes milliseconds, however few of them match. */
export const EXAMINED = 5_000;

const WALKS: Readonly<Record<Walk, { readonly order: string; readonly bounds: (param: Param) => SQL }>> = {
  chain: { order: 'seq desc', bounds: (param) => sql`seq < ${param('beforeId')}` },
  wallet: {
    order: 'seq desc',
    bounds: (param) => sql`wallet_id = ${param('walletId')} and seq < ${param('beforeId')}`,
  },
  time: {
    order: 'at desc, seq desc',
    bounds: (param) => sql`at >= ${param('since')}
      and (at, seq) < (${param('beforeAt')}::timestamptz, ${param('beforeId')}::bigint)`,
  },
};

const statements = new Map<string, ReturnType<typeof createWalk>>();

/** Returns the statement of a walk, which filters or takes every record. Runs after `readInOrder`. */
function walkStatement(walk: Walk, isFiltering: boolean): ReturnType<typeof createWalk> {
  const key = `${walk} ${isFiltering}`;
  const known = statements.get(key) ?? createWalk(walk, isFiltering);
  statements.set(key, known);
  return known;
}

function createWalk(walk: Walk, isFiltering: boolean) {
  const { order: names, bounds } = WALKS[walk];
  const order = sql.raw(names);
  const finalOrder = sql.raw(names.replaceAll(/\w+ desc/g, 'found.$&'));
  const examined = sql.raw(String(EXAMINED));
  const tokenName = sql`(select name from access_tokens t where t.id = found.token_id) as token_name`;
  return createStatement<WalkValues, WalkedRow>((param) => {
    const walked = sql`from audit_records where account_id = ${param('accountId')} and ${bounds(param)} order by ${order}`;
    if (!isFiltering)
      return sql`select found.*, ${tokenName} from (select * ${walked} limit ${param('limit')}) found order by ${finalOrder}`;
    return sql`
      with found as (
        select * from (select * ${walked} limit ${examined}) walked
        where (${param('action')}::text is null or action = ${param('action')})
          and (${param('outcome')}::text is null or outcome = ${param('outcome')})
          and (${param('tokenId')}::uuid is null or token_id = ${param('tokenId')})
          and (${param('memberId')}::uuid is null or member_id = ${param('memberId')})
          and at >= ${param('since')} and at < ${param('until')}
        order by ${order} limit ${param('limit')}
      ), last as (select at, seq ${walked} offset ${examined} - 1 limit 1)
      select found.*, ${tokenName}, last.at as walked_at, last.seq as walked_seq
      from (select) as one left join last on true left join found on true
      order by ${finalOrder}`;
  });
}
