import { monthsLater, utcMonth } from '../../../core/utc-month.ts';
import { sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';
import { readSums } from '../../../store/read-sums.ts';
import { SPEC_PRICES } from '../books/prices.ts';
import { printNumber } from './document-number.ts';

/** The cost of the units of a price row in a month. */
export type StatementCharge = { readonly operation: string; readonly units: bigint; readonly cost: bigint };

/**
 * The books of an account in a month of UTC, by the time at which entries were written. Amounts in micro-USD; balances include money
 * reserved for work under way.
 */
export type Statement = {
  readonly month: string;
  readonly opening: bigint;
  readonly deposits: bigint;
  /** By credits for missed availability and by credit notes. */
  readonly givenBack: bigint;
  readonly charges: readonly StatementCharge[];
  readonly charged: bigint;
  readonly closing: bigint;
  readonly invoiceNumber: string | undefined;
};

type Row = {
  readonly month: string;
  /** `deposit`, `given_back`, or a row of the price list. */
  readonly kind: string;
  readonly units: string;
  readonly amount: string;
};

const DEPOSIT = 'deposit';
const GIVEN_BACK = 'given_back';

/** Returns the statements of all months since an account was created, newest first; the first is of the current month, up to now. */
export async function readStatements(
  store: Pick<Store, 'batched' | 'db'>,
  {
    accountId,
    createdAt,
    nowMs,
  }: { readonly accountId: string; readonly createdAt: Date; readonly nowMs: number },
): Promise<readonly Statement[]> {
  const rows = Map.groupBy(await readMovements(store, accountId), ({ month }) => month);
  const numbers = await readNumbers(store, accountId);
  const statements: Statement[] = [];
  let balance = 0n;
  for (const month of monthsFrom(firstOf(createdAt, rows), utcMonth(nowMs))) {
    const statement = toStatement({ month, opening: balance, rows: rows.get(month) ?? [] });
    balance = statement.closing;
    statements.push({ ...statement, invoiceNumber: numbers.get(month) });
  }
  return statements.reverse();
}

/** Charges come from hourly sums, as far as those reach; the rest from the books. */
async function readMovements(store: Pick<Store, 'batched'>, accountId: string): Promise<readonly Row[]> {
  const tip = sql`coalesce((select charged_id from wallet_sum_tips where account_id = ${accountId}), 0)`;
  const monthOf = (at: string) => sql.raw(`to_char(${at} at time zone 'UTC', 'YYYY-MM')`);
  return readSums<Row>(
    store,
    sql`
    select month, kind, sum(units) as units, sum(amount) as amount from (
      select ${monthOf('hour')} as month, operation as kind, units, cost as amount
      from wallet_charge_sums where account_id = ${accountId}
      union all
      select ${monthOf('t.created_at')}, t.operation, t.units, e.amount
      from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.kind = 'revenue'
      where t.account_id = ${accountId} and t.id > ${tip} and t.kind = 'charge'
      union all
      select ${monthOf('t.created_at')}, case when t.kind in ('credit', 'test_credit') then ${DEPOSIT} else ${GIVEN_BACK} end, 0, e.amount
      from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.kind = 'available'
      where t.account_id = ${accountId} and t.kind in ('credit', 'test_credit', 'service_credit', 'credit_note')
    ) movements group by 1, 2`,
  );
}

async function readNumbers(
  { db }: Pick<Store, 'db'>,
  accountId: string,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.execute<{ readonly month: string; readonly number: string }>(
    sql`select month, number from invoices where account_id = ${accountId}`,
  );
  return new Map(rows.map(({ month, number }) => [month, printNumber('invoice', Number(number))]));
}

type Month = { readonly month: string; readonly opening: bigint; readonly rows: readonly Row[] };

function toStatement({ month, opening, rows }: Month): Omit<Statement, 'invoiceNumber'> {
  const amountOf = (wanted: string): bigint => BigInt(rows.find(({ kind }) => kind === wanted)?.amount ?? 0);
  const charges = Object.keys(SPEC_PRICES.prices).flatMap((operation) =>
    rows
      .filter(({ kind }) => kind === operation)
      .map(({ units, amount }) => ({ operation, units: BigInt(units), cost: BigInt(amount) })),
  );
  const charged = charges.reduce((sum, { cost }) => sum + cost, 0n);
  const [deposits, givenBack] = [amountOf(DEPOSIT), amountOf(GIVEN_BACK)];
  const closing = opening + deposits + givenBack - charged;
  return { month, opening, deposits, givenBack, charges, charged, closing };
}

function firstOf(createdAt: Date, rows: ReadonlyMap<string, unknown>): string {
  return [utcMonth(createdAt.getTime()), ...rows.keys()].sort()[0] ?? '';
}

function monthsFrom(first: string, last: string): readonly string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthsLater(month, 1)) months.push(month);
  return months;
}
