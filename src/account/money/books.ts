import { PLANS } from '../../../generated/plans.ts';
import { monthsLater, utcMonth } from '../../base/utc-month.ts';
import { balanceNotices } from '../../store/billing-tables.ts';
import { and, eq, sql } from '../../store/drizzle.ts';
import { ledgerAccounts, type MOVEMENT_KINDS } from '../../store/money-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { createStatement, type Executes } from '../../store/statement.ts';
import type { Counted } from './operation-count.ts';

/** The ledger accounts of a customer. */
export type LedgerAccount = (typeof ledgerAccounts.$inferSelect)['kind'];

/** The amount a customer may spend, in micro-USD. */
export type Books = {
  /** May be below 0 for an account that is invoiced. */
  readonly available: bigint;
  /** The lowest value of `available`: 0, or minus the credit limit, or what is owed above that. */
  readonly floor: bigint;
};

/** As `Books`, while they are locked. */
export type LockedBooks = Books & {
  readonly accountId: string;
  /** The last month of the customer that is closed. */
  readonly closedMonth: string | undefined;
};

/** One movement: its parts sum to zero. Parts of zero are left out. */
export type Movement = {
  readonly kind: (typeof MOVEMENT_KINDS)[number];
  readonly reservationId?: string | undefined;
  /** The operation that was charged, and counted before: what it cost is added to its month. */
  readonly counted?: Counted & { readonly units: bigint };
  /** The month that something is given back of. */
  readonly month?: string;
  readonly note?: string | undefined;
  /** What the operator calls a credit. */
  readonly reference?: string | undefined;
  readonly nowMs: number;
  readonly parts: Readonly<Partial<Record<LedgerAccount, bigint>>>;
};

const FLOORS: Readonly<Record<LedgerAccount, bigint | null>> = {
  available: 0n,
  reserved: 0n,
  revenue: 0n,
  funding: null,
};

/** A customer is told when less can be spent than this, unless it chooses otherwise. */
const NOTICE = BigInt(PLANS.billing.balance_notice.micro_usd);

/** A movement as the driver takes it. */
type MovementValues = {
  readonly accountId: string;
  readonly kind: string;
  readonly reservationId: string | null;
  readonly operation: string | null;
  readonly units: string | null;
  readonly month: string | null;
  readonly note: string | null;
  readonly reference: string | null;
  readonly at: string;
  /** What was charged. */
  readonly charged: string;
  /** The customer's ledger accounts that change, and the amounts. */
  readonly accounts: readonly string[];
  readonly amounts: readonly string[];
};

/**
 * The floor of an account that owes more than it may is what it owes. It rises with the balance, so that nothing can be spent of money that
 * comes in before that is paid.
 */
const raisedFloor = sql`case when l.kind = 'available' and part.amount > 0 and l.floor < 0
  then greatest(l.floor, least(l.balance + part.amount, coalesce(
    (select -b.credit_limit from billing_terms b where b.account_id = l.account_id and b.invoiced_since is not null), 0)))
  else l.floor end`;

const write = createStatement<MovementValues>(
  (param) => sql`
    with counted as (
      update operation_counts set amount = amount + ${param('charged')}::bigint
      where account_id = ${param('accountId')} and operation = ${param('operation')} and month = ${param('month')}
    ), moved as (
      update ledger_accounts l set balance = l.balance + part.amount, floor = ${raisedFloor}
      from unnest(${param('accounts')}::text[], ${param('amounts')}::bigint[]) as part (kind, amount)
      where l.account_id = ${param('accountId')} and l.kind = part.kind
      returning l.kind, part.amount, l.balance
    ), made as (
      insert into ledger_transactions (account_id, kind, reservation_id, operation, units, month, note, reference, created_at)
      values (
        ${param('accountId')}, ${param('kind')}, ${param('reservationId')}, ${param('operation')},
        ${param('units')}::bigint, ${param('month')}, ${param('note')}, ${param('reference')}, ${param('at')}
      )
      returning id
    )
    insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
    select made.id, ${param('accountId')}, moved.kind, moved.amount, moved.balance from moved, made`,
);

/** Opens the books of a customer, who is told when the balance runs low; has no effect if they are open. */
export async function openBooks(tx: StoreTransaction, accountId: string): Promise<void> {
  const kinds = Object.entries(FLOORS) as readonly [LedgerAccount, bigint | null][];
  const opened = await tx
    .insert(ledgerAccounts)
    .values(kinds.map(([kind, floor]) => ({ accountId, kind, floor })))
    .onConflictDoNothing()
    .returning();
  if (opened.length === 0) return;
  await tx
    .insert(balanceNotices)
    .values({ accountId, threshold: NOTICE, isArmed: false })
    .onConflictDoNothing();
}

/**
 * Locks the books of a customer until the transaction ends, and opens them if there are none. Everything that moves money or counts
 * operations does this first: such work runs one at a time per customer and cannot deadlock.
 */
export async function lockBooks(tx: StoreTransaction, accountId: string): Promise<LockedBooks> {
  const locked = await lockAvailable(tx, accountId);
  if (locked !== undefined) return locked;
  await openBooks(tx, accountId);
  return (
    (await lockAvailable(tx, accountId)) ?? { accountId, available: 0n, floor: 0n, closedMonth: undefined }
  );
}

/** Returns the month that work counts in: of the time, or the first one that is not closed where a clock is late. */
export function countingMonth({ closedMonth }: Pick<LockedBooks, 'closedMonth'>, nowMs: number): string {
  const month = utcMonth(nowMs);
  return closedMonth === undefined || closedMonth < month ? month : monthsLater(closedMonth, 1);
}

/** Writes a movement of the customer whose books are locked, and the resulting balances, in one statement; nothing if it has no parts. */
export async function post(
  tx: Executes,
  { accountId }: Pick<LockedBooks, 'accountId'>,
  { kind, reservationId, counted, month, note, reference, nowMs, parts }: Movement,
): Promise<void> {
  const moved = Object.entries(parts).filter(([, amount]) => amount !== 0n);
  if (moved.length === 0) return;
  await write(tx, {
    ...{ accountId, kind, reservationId: reservationId ?? null, note: note ?? null },
    reference: reference ?? null,
    ...{ operation: counted?.operation ?? null, month: counted?.month ?? month ?? null },
    units: counted === undefined ? null : String(counted.units),
    charged: String(parts.revenue ?? 0n),
    at: new Date(nowMs).toISOString(),
    accounts: moved.map(([account]) => account),
    amounts: moved.map(([, amount]) => String(amount)),
  });
}

/** Adds money, or takes it back; from then on the customer is told anew of each amount that it has less than. */
export async function postMoney(tx: StoreTransaction, books: LockedBooks, movement: Movement): Promise<void> {
  await post(tx, books, movement);
  await armNotices(tx, books);
}

/** Sets how far below 0 the balance of a customer may go, in micro-USD; one that owes more spends nothing until that is paid. */
export async function setCreditLimit(tx: StoreTransaction, books: LockedBooks, limit: bigint): Promise<void> {
  const isWithin = books.available >= -limit;
  await setFloor(tx, books, isWithin ? -limit : books.available);
}

/** Lets the balance of a customer be as low as this, which is lower than its floor. */
export async function setFloor(
  tx: StoreTransaction,
  { accountId }: Pick<LockedBooks, 'accountId'>,
  floor: bigint,
): Promise<void> {
  await tx.update(ledgerAccounts).set({ floor }).where(isAvailable(accountId));
  await armNotices(tx, { accountId });
}

async function armNotices(
  tx: StoreTransaction,
  { accountId }: Pick<LockedBooks, 'accountId'>,
): Promise<void> {
  await tx.update(balanceNotices).set({ isArmed: true }).where(eq(balanceNotices.accountId, accountId));
}

async function lockAvailable(tx: StoreTransaction, accountId: string): Promise<LockedBooks | undefined> {
  const { balance, floor, closedMonth } = ledgerAccounts;
  const chosen = { balance, floor, closedMonth };
  const [row] = await tx.select(chosen).from(ledgerAccounts).where(isAvailable(accountId)).for('update');
  if (row === undefined) return undefined;
  return {
    accountId,
    available: row.balance,
    floor: row.floor ?? 0n,
    closedMonth: row.closedMonth ?? undefined,
  };
}

function isAvailable(accountId: string) {
  return and(eq(ledgerAccounts.accountId, accountId), eq(ledgerAccounts.kind, 'available'));
}
