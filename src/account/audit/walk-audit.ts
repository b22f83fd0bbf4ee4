import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { createStatement, type PlaceholderOf } from '../../store/statement.ts';
import type { PageBounds } from '../list-page.ts';

/** An index of `audit_records` that is walked from its end. */
export type Walk = 'chain' | 'wallet' | 'time';

/** What a walk looks for; null lets everything pass. */
export type WalkValues = PageBounds & {
  readonly accountId: string;
  readonly walletId: string;
  readonly action: string | null;
  readonly outcome: string | null;
  readonly tokenId: string | null;
  readonly memberId: string | null;
};

/** A record and the name of its token; no `seq` if none was found. */
export type WalkedRow = Readonly<Record<string, unknown>> & {
  readonly seq: unknown;
  readonly token_name: string | null;
  /** The last record that a filtering walk looked at, if it did not come to the end. */
  readonly walked_at?: string | null;
  readonly walked_seq?: unknown;
};

type Param = PlaceholderOf<WalkValues>;

/** Records that a filtering walk looks at: it takes milliseconds, however few of them pass. */
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

/** Returns the statement of a walk, which filters or takes every record. Runs behind `readInOrder`. */
export function walkStatement(walk: Walk, isFiltering: boolean): ReturnType<typeof createWalk> {
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
