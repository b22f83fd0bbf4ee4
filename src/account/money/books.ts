import { and, eq, sql } from '../../store/drizzle.ts';
import { ledgerAccounts } from '../../store/money-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { createStatement, type Executes } from '../../store/statement.ts';
import type { Counted } from './operation-count.ts';

/** The ledger accounts of a customer. */
export type LedgerAccount = (typeof ledgerAccounts.$inferSelect)['kind'];

/** The amount a customer may spend, in micro-USD. */
export type Books = {
  /** May be below 0 for an account that is invoiced. */
  readonly available: bigint;
  /** The lowest value of `available`: 0, or minus the credit limit. */
  readonly floor: bigint;
};

/** As `Books`, while they are locked. */
export type LockedBooks = Books & { readonly accountId: string };

/** One movement: its parts sum to zero. Parts of zero are left out. */
export type Movement = {
  readonly kind: 'credit' | 'test_credit' | 'reserve' | 'charge' | 'refund';
  readonly reservationId?: string | undefined;
  /** The operation that was charged. */
  readonly counted?: Counted & { readonly units: bigint };
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
  /** The customer's ledger accounts that change, and the amounts. */
  readonly accounts: readonly string[];
  readonly amounts: readonly string[];
};

const write = createStatement<MovementValues>(
  (param) => sql`
    with moved as (
      update ledger_accounts l set balance = l.balance + part.amount
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

/** Opens the books of a customer; has no effect if they are open. */
export async function openBooks(tx: StoreTransaction, accountId: string): Promise<void> {
  const kinds = Object.entries(FLOORS) as readonly [LedgerAccount, bigint | null][];
  await tx
    .insert(ledgerAccounts)
    .values(kinds.map(([kind, floor]) => ({ accountId, kind, floor })))
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
  return (await lockAvailable(tx, accountId)) ?? { accountId, available: 0n, floor: 0n };
}

/** Writes a movement of the customer whose books are locked, and the resulting balances, in one statement. */
export async function post(
  tx: Executes,
  { accountId }: Pick<LockedBooks, 'accountId'>,
  { kind, reservationId, counted, note, reference, nowMs, parts }: Movement,
): Promise<void> {
  const moved = Object.entries(parts).filter(([, amount]) => amount !== 0n);
  if (moved.length === 0) return;
  await write(tx, {
    ...{ accountId, kind, reservationId: reservationId ?? null, note: note ?? null },
    reference: reference ?? null,
    ...{ operation: counted?.operation ?? null, month: counted?.month ?? null },
    units: counted === undefined ? null : String(counted.units),
    at: new Date(nowMs).toISOString(),
    accounts: moved.map(([account]) => account),
    amounts: moved.map(([, amount]) => String(amount)),
  });
}

async function lockAvailable(tx: StoreTransaction, accountId: string): Promise<LockedBooks | undefined> {
  const isAvailable = and(eq(ledgerAccounts.accountId, accountId), eq(ledgerAccounts.kind, 'available'));
  const { balance, floor } = ledgerAccounts;
  const [row] = await tx.select({ balance, floor }).from(ledgerAccounts).where(isAvailable).for('update');
  return row && { accountId, available: row.balance, floor: row.floor ?? 0n };
}
