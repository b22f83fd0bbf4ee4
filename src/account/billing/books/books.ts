import { PLANS } from '../../../../generated/plans.ts';
import { monthsLater, utcMonth } from '../../../core/utc-month.ts';
import { balanceNotices } from '../../../store/billing-tables.ts';
import { and, eq, sql } from '../../../store/drizzle.ts';
import { bookAccounts, type MOVEMENT_KINDS } from '../../../store/money-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { createWrite, type Defers } from '../../../store/statement.ts';
import type { Counted } from './operation-count.ts';

/** The book accounts of a customer. */
export type LedgerAccount = (typeof bookAccounts.$inferSelect)['kind'];

/** The amount a customer may spend, in micro-USD. */
export type Books = {
  /** May be below 0 for an account that is invoiced. */
  readonly available: bigint;
  /** The lowest value of `available`: 0, or minus the credit limit, or the amount owed above that. */
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
  /** The operation that was charged and is already counted: its cost is added to its month. */
  readonly counted?: Counted & { readonly units: bigint };
  /** The month of a service credit or a credit note. */
  readonly month?: string;
  readonly note?: string | undefined;
  /** The operator's name for a credit. */
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

/** Default amount below which a customer gets a balance notice. */
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
  /** The charged amount. */
  readonly charged: string;
  /** The customer's book accounts that change, and the amounts. */
  readonly accounts: readonly string[];
  readonly amounts: readonly string[];
};

/**
 * The floor of an account that owes more than it may is the amount that it owes. It rises with the balance, so that incoming money cannot
 * be spent before the debt is paid.
 */
const raisedFloor = sql`case when l.kind = 'available' and part.amount > 0 and l.floor < 0
  then greatest(l.floor, least(l.balance + part.amount, coalesce(
    (select -b.credit_limit from billing_terms b where b.account_id = l.account_id and b.invoiced_since is not null), 0)))
  else l.floor end`;

const write = createWrite<MovementValues>(
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

/** Opens the books of a customer, with the default balance notice; has no effect if they are open. */
export async function openBooks(tx: StoreTransaction, accountId: string): Promise<void> {
  const kinds = Object.entries(FLOORS) as readonly [LedgerAccount, bigint | null][];
  const opened = await tx
    .insert(bookAccounts)
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
 * Locks the books of a customer until the transaction ends, and opens them if they do not exist. Everything that moves money or counts
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

/** Returns the month that work counts in: the month of the time or, if the clock is late, the first one that is not closed. */
export function countingMonth({ closedMonth }: Pick<LockedBooks, 'closedMonth'>, nowMs: number): string {
  const month = utcMonth(nowMs);
  return closedMonth === undefined || closedMonth < month ? month : monthsLater(closedMonth, 1);
}

/**
 * Writes a movement of the customer whose books are locked, and the resulting balances, before the next statement of the transaction; nothing if
 * it has no parts.
 */
export function post(
  tx: Defers,
  { accountId }: Pick<LockedBooks, 'accountId'>,
  { kind, reservationId, counted, month, note, reference, nowMs, parts }: Movement,
): void {
  const moved = Object.entries(parts).filter(([, amount]) => amount !== 0n);
  if (moved.length === 0) return;
  write(tx, {
    accountId,
    kind,
    reservationId: reservationId ?? null,
    note: note ?? null,
    reference: reference ?? null,
    operation: counted?.operation ?? null,
    month: counted?.month ?? month ?? null,
    units: counted === undefined ? null : String(counted.units),
    charged: String(parts.revenue ?? 0n),
    at: new Date(nowMs).toISOString(),
    accounts: moved.map(([account]) => account),
    amounts: moved.map(([, amount]) => String(amount)),
  });
}

/** Adds money, or takes it back. From then on, the customer is notified again of each amount that the balance is below. */
export async function postMoney(tx: StoreTransaction, books: LockedBooks, movement: Movement): Promise<void> {
  post(tx, books, movement);
  await armNotices(tx, books);
}

/** Sets how far below 0 the balance of a customer may go, in micro-USD; a customer that owes more can spend nothing until that is paid. */
export async function setCreditLimit(tx: StoreTransaction, books: LockedBooks, limit: bigint): Promise<void> {
  const isWithin = books.available >= -limit;
  await setFloor(tx, books, isWithin ? -limit : books.available);
}

/** Lowers the floor of a customer's balance. */
export async function setFloor(
  tx: StoreTransaction,
  { accountId }: Pick<LockedBooks, 'accountId'>,
  floor: bigint,
): Promise<void> {
  await tx.update(bookAccounts).set({ floor }).where(isAvailable(accountId));
  await armNotices(tx, { accountId });
}

async function armNotices(
  tx: StoreTransaction,
  { accountId }: Pick<LockedBooks, 'accountId'>,
): Promise<void> {
  await tx.update(balanceNotices).set({ isArmed: true }).where(eq(balanceNotices.accountId, accountId));
}

async function lockAvailable(tx: StoreTransaction, accountId: string): Promise<LockedBooks | undefined> {
  const { balance, floor, closedMonth } = bookAccounts;
  const chosen = { balance, floor, closedMonth };
  const [row] = await tx.select(chosen).from(bookAccounts).where(isAvailable(accountId)).for('update');
  if (row === undefined) return undefined;
  return {
    accountId,
    available: row.balance,
    floor: row.floor ?? 0n,
    closedMonth: row.closedMonth ?? undefined,
  };
}

function isAvailable(accountId: string) {
  return and(eq(bookAccounts.accountId, accountId), eq(bookAccounts.kind, 'available'));
}
