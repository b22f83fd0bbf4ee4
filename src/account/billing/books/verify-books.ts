import { sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';

/** Defects in the books of all customers. */
export type BooksVerdict = {
  readonly movements: number;
  /** Movements whose parts do not sum to zero. */
  readonly unbalanced: number;
  /** Book accounts whose balance is not the sum of their entries. */
  readonly wrongBalances: number;
};

/** Number of movements that are read at a time, by their ids. */
const RANGE = 50_000n;

type Sum = { readonly account: string; readonly kind: string; readonly amount: string };

/** Recomputes every balance from the entries. The store must not change meanwhile. Takes the memory of all balances. */
export async function verifyBooks({ db }: Pick<Store, 'db'>): Promise<BooksVerdict> {
  const sums = new Map<string, bigint>();
  const { rows: ends } = await db.execute<{ first: string; last: string; count: string }>(
    sql`select coalesce(min(id), 1)::text as first, coalesce(max(id), 0)::text as last, count(*)::text as count from ledger_transactions`,
  );
  const [{ first, last, count } = { first: '1', last: '0', count: '0' }] = ends;
  let unbalanced = 0;
  for (let from = BigInt(first); from <= BigInt(last); from += RANGE) {
    const isInRange = sql`transaction_id >= ${String(from)}::bigint and transaction_id < ${String(from + RANGE)}::bigint`;
    const { rows: wrong } = await db.execute<{ count: number }>(
      sql`select count(*)::int as count from (
        select 1 from ledger_entries where ${isInRange} group by transaction_id having sum(amount) <> 0) as unbalanced`,
    );
    unbalanced += wrong[0]?.count ?? 0;
    const { rows } = await db.execute<Sum>(
      sql`select account_id::text as account, kind, sum(amount)::text as amount
        from ledger_entries where ${isInRange} group by account_id, kind`,
    );
    for (const { account, kind, amount } of rows)
      sums.set(`${account} ${kind}`, (sums.get(`${account} ${kind}`) ?? 0n) + BigInt(amount));
  }
  const { rows: balances } = await db.execute<Sum>(
    sql`select account_id::text as account, kind, balance::text as amount from ledger_accounts`,
  );
  const isWrong = ({ account, kind, amount }: Sum): boolean =>
    (sums.get(`${account} ${kind}`) ?? 0n) !== BigInt(amount);
  return { movements: Number(count), unbalanced, wrongBalances: balances.filter(isWrong).length };
}
