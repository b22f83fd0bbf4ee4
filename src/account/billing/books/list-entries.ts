import type { SQL } from 'drizzle-orm';
import type { ListPosition } from '../../../core/read-page.ts';
import { sql } from '../../../store/drizzle.ts';
import type { ledgerTransactions } from '../../../store/money-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { readInOrder } from '../../../store/read-in-order.ts';
import { createStatement, type PlaceholderOf } from '../../../store/statement.ts';
import { isTimed, type PageBounds, type PageQuery, pageBounds } from '../../../store/list-page.ts';

/** An entry of an account's books: one movement of money. Amounts are changes, in micro-USD. */
export type BookEntry = {
  /** Later entries have higher numbers. */
  readonly id: bigint;
  readonly at: Date;
  /** `refund` gives back the rest of a reservation. The last charge of a reservation also gives back its rest. */
  readonly kind: (typeof ledgerTransactions.$inferSelect)['kind'];
  /** A price row of spec/plans.yaml; of a reservation too. */
  readonly operation: string | null;
  /** Charged units, or those that money is reserved for. */
  readonly units: bigint | null;
  /** Joins a reservation with its charges and its refund. */
  readonly reservationId: string | null;
  /** Change of the balance. */
  readonly amount: bigint;
  /** Change of the reserved amount. */
  readonly reserved: bigint;
  readonly charged: bigint;
  /** The balance after the entry; null if it did not change, as when reserved money is charged. */
  readonly balanceAfter: bigint | null;
  readonly note: string | null;
};

/** `next` is undefined on the last page. */
export type EntryPage = { readonly entries: readonly BookEntry[]; readonly next: ListPosition | undefined };

type Values = PageBounds & { readonly accountId: string };

type Row = {
  readonly id: string;
  readonly created_at: string;
  readonly kind: BookEntry['kind'];
  readonly operation: string | null;
  readonly units: string | null;
  readonly reservation_id: string | null;
  readonly note: string | null;
  readonly amount: string | null;
  readonly reserved: string | null;
  readonly charged: string | null;
  readonly balance_after: string | null;
};

/**
 * Lists the entries of an account's books, newest first: in the order in which they were written, or, with `since` or `until`, in that of
 * time. The pages contain each entry that existed before the first of them exactly once, whatever is written meanwhile.
 */
export async function listEntries(
  { batched }: Pick<Store, 'batched'>,
  accountId: string,
  page: PageQuery,
): Promise<EntryPage> {
  const select = isTimed(page) ? selectByTime : selectByNumber;
  const values = { accountId, ...pageBounds(page, isTimed(page)) };
  const [, { rows }] = await batched((db) => [readInOrder(db), select(db, values)]);
  const entries = rows.slice(0, page.limit).map(readEntry);
  const last = rows.length > page.limit ? entries.at(-1) : undefined;
  return { entries, next: last && { at: last.at, id: String(last.id) } };
}

const selectByNumber = createEntrySelection('id desc', (param) => sql`id < ${param('beforeId')}::bigint`);
const selectByTime = createEntrySelection(
  'created_at desc, id desc',
  (param) => sql`created_at >= ${param('since')}
    and (created_at, id) < (${param('beforeAt')}::timestamptz, ${param('beforeId')}::bigint)`,
);

function createEntrySelection(order: string, bounds: (param: PlaceholderOf<Values>) => SQL) {
  const part = (kind: string): SQL => sql`max(e.amount) filter (where e.kind = ${sql.raw(`'${kind}'`)})`;
  return createStatement<Values, Row>(
    (param) => sql`
      select t.id, t.created_at, t.kind, t.reservation_id, t.note,
        coalesce(t.operation, r.operation) as operation,
        coalesce(t.units, case when t.kind = 'reserve' then r.units end) as units, parts.*
      from (
        select * from ledger_transactions where account_id = ${param('accountId')} and ${bounds(param)}
        order by ${sql.raw(order)} limit ${param('limit')}
      ) t
      left join reservations r on r.id = t.reservation_id
      cross join lateral (
        select ${part('available')} as amount, ${part('reserved')} as reserved, ${part('revenue')} as charged,
          max(e.balance_after) filter (where e.kind = 'available') as balance_after
        from ledger_entries e where e.transaction_id = t.id
      ) parts
      order by ${sql.raw(order.replaceAll(/\w+ desc/g, 't.$&'))}`,
  );
}

function readEntry(row: Row): BookEntry {
  const { id, created_at, kind, operation, units, reservation_id: reservationId, note } = row;
  const bigintOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
  return {
    id: BigInt(id),
    at: new Date(created_at),
    kind,
    operation,
    units: bigintOf(units),
    reservationId,
    note,
    amount: bigintOf(row.amount) ?? 0n,
    reserved: bigintOf(row.reserved) ?? 0n,
    charged: bigintOf(row.charged) ?? 0n,
    balanceAfter: bigintOf(row.balance_after),
  };
}
