import type { StoreTransaction } from '../../../store/transaction.ts';
import { type Executes, createStatement } from '../../../store/statement.ts';
import { serviceError } from '../../../core/service-error.ts';
import { type Books, countingMonth, lockBooks, post } from './books.ts';
import { readCount, toCharge, toUnits, type Counted } from './operation-count.ts';
import { type Operation, type PriceBook, SPEC_PRICES } from './prices.ts';
import { utcMonth } from '../../../core/utc-month.ts';
import { priceOf } from '../../../../runtime/price-book.ts';
import {
  chargeReservation,
  releaseReservation,
  insertReservation,
  newTerms,
  type Receipt,
  type Reservation,
  type ReservationTerms,
} from './reservation.ts';
import { sql } from '../../../store/drizzle.ts';

/** The work and the account it is for. `units` is a whole number from 0. */
export type Work = {
  readonly accountId: string;
  readonly operation: Operation;
  readonly units: number;
  readonly nowMs: number;
};

/** The price of work, and the books it is paid from. */
export type Quote = Omit<Work, 'nowMs'> & {
  readonly month: string;
  readonly books: Books;
  /** Number of units charged before. */
  readonly before: bigint;
  /** Micro-USD. */
  readonly amount: bigint;
};

/**
 * Charges for work. Each function takes the transaction that it belongs to, so that wallets, charge and audit record are committed
 * together. Each locks the customer's books until that transaction ends: keep it short, and lock in the order idempotency row, money,
 * audit.
 *
 * - Nothing is charged twice, nor above the reserved amount; no balance goes below 0, or below minus the credit limit.
 * - A reservation is charged at the prices at which it was made, even by a process with other prices.
 * - The reservations of a process are settled when it stops, when the next one starts, or within two minutes: charged in full if it may
 *   have been delivered already, so that no more is ever delivered than charged, and given back otherwise.
 * - Units count in the UTC month in which they were reserved, once they are charged; never in a month of the account that is closed.
 */
export type Money = {
  /**
   * Reserves the maximum cost of the work.
   * @throws ServiceError `balanceInsufficient` or, for an account that is invoiced, `creditLimitReached`; nothing changes then.
   */
  readonly reserve: (tx: StoreTransaction, work: Work, terms?: ReservationTerms) => Promise<Reservation>;
  /**
   * Charges for delivered units; the rest stays reserved.
   * @throws ServiceError `reservationClosed` or, if it was charged already, `reservationCharged`: the work of this transaction must not be
   *   committed.
   */
  readonly charge: (
    tx: StoreTransaction,
    reservation: Reservation,
    deliveredUnits: number,
    nowMs: number,
  ) => Promise<Receipt>;
  /** Charges for the last delivered units, 0 or more, and gives back the rest. @throws as `charge`. */
  readonly settle: Money['charge'];
  /** Gives back the rest; has no effect if that has happened. */
  readonly release: (
    tx: StoreTransaction,
    reservation: Pick<Reservation, 'id' | 'accountId'>,
    nowMs: number,
  ) => Promise<Receipt>;
  /** Returns the current price of the work, without locking anything. */
  readonly quote: (db: Executes, work: Work) => Promise<Quote>;
  /**
   * Charges at once for work that is done in this transaction, without a reservation.
   * @throws ServiceError as `reserve`: the transaction must not be committed then.
   */
  readonly chargeNow: (tx: StoreTransaction, work: Work) => Promise<Receipt>;
};

export type MoneyOptions = {
  /** Id of this process in `gateways`: its reservations are settled when it ends. */
  readonly ownerId: string;
  /** Default: those of spec/plans.yaml. */
  readonly prices?: PriceBook;
};

/** Charges by a price book, on behalf of this process. */
export function createMoney({ ownerId, prices = SPEC_PRICES }: MoneyOptions): Money {
  return {
    reserve: async (tx, { accountId, operation, units, nowMs }, terms = newTerms()) => {
      const books = await lockBooks(tx, accountId);
      const month = countingMonth(books, nowMs);
      const before = await readCount(tx, { accountId, operation, month });
      const amount = priceOf(prices, { operation, before, units: toUnits(units) });
      assertPayable({ books, amount });
      const reservation = { id: terms.id, accountId, operation, month, units, before, amount };
      const parts = { available: -amount, reserved: amount };
      post(tx, books, { kind: 'reserve', reservationId: reservation.id, nowMs, parts });
      insertReservation(tx, prices, { ...reservation, ...terms, ownerId, nowMs });
      return reservation;
    },
    charge: (tx, reservation, units, nowMs) =>
      chargeReservation(tx, prices, { reservation, units, isLast: false, nowMs }),
    settle: (tx, reservation, units, nowMs) =>
      chargeReservation(tx, prices, { reservation, units, isLast: true, nowMs }),
    release: releaseReservation,
    quote: async (db, { accountId, operation, units, nowMs }) => {
      const counted = { accountId, operation, month: utcMonth(nowMs) };
      const { books, before } = await readStanding(db, counted);
      const amount = priceOf(prices, { operation, before, units: toUnits(units) });
      return { ...counted, units, books, before, amount };
    },
    chargeNow: async (tx, { accountId, operation, units, nowMs }) => {
      const uncounted = { accountId, operation, units: toUnits(units) };
      const { books, before, month } = await lockAndCount(tx, { ...uncounted, nowMs });
      const counted = { ...uncounted, month };
      const charged = priceOf(prices, { operation, before, units: counted.units });
      assertPayable({ books, amount: charged });
      const parts = { available: -charged, revenue: charged };
      post(tx, counted, { kind: 'charge', counted, nowMs, parts });
      const charge = toCharge(counted, { units: counted.units, amount: charged }, prices);
      return { charged, refunded: 0n, charge };
    },
  };
}

/** True if the books have enough for an amount. */
export function isPayable({ books: { available, floor }, amount }: Pick<Quote, 'books' | 'amount'>): boolean {
  return available - amount >= floor;
}

/** @throws ServiceError `balanceInsufficient` or, for an account that is invoiced, `creditLimitReached`. */
export function assertPayable(quote: Pick<Quote, 'books' | 'amount'>): void {
  if (isPayable(quote)) return;
  const { books, amount } = quote;
  const { available, floor } = books;
  const error = floor < 0n ? 'creditLimitReached' : 'balanceInsufficient';
  throw serviceError(error, { required: amount, available: available - floor });
}

/** A customer's books, and the number of units of one price row charged before. */
type Standing = { readonly books: Books; readonly before: bigint };

/** The same as the driver reads it. */
type StandingRow = {
  readonly available: string;
  readonly floor: string | null;
  readonly before: string | null;
};

const read = createStatement<Counted, StandingRow>(
  (param) => sql`
    select l.balance as available, l.floor, c.units as before from ledger_accounts l
    left join operation_counts c
      on c.account_id = l.account_id and c.operation = ${param('operation')} and c.month = ${param('month')}
    where l.account_id = ${param('accountId')} and l.kind = 'available'`,
);

/** Locks and counts nothing while the month is closed. */
const lock = createStatement<Counted & { readonly units: string }, StandingRow>(
  (param) => sql`
    with locked as (
      select balance, floor, closed_month from ledger_accounts
      where account_id = ${param('accountId')} and kind = 'available' and coalesce(closed_month, '') < ${param('month')}
      for update
    ), counted as (
      insert into operation_counts as c (account_id, operation, month, units)
      select ${param('accountId')}, ${param('operation')}, ${param('month')}, ${param('units')}::bigint from locked
      on conflict (account_id, operation, month) do update set units = c.units + excluded.units
      returning units
    )
    select locked.balance as available, locked.floor, counted.units - ${param('units')}::bigint as before from locked, counted`,
);

/** Returns the current standing of a customer, without a lock. */
async function readStanding(db: Executes, { accountId, operation, month }: Counted): Promise<Standing> {
  const [row] = (await read(db, { accountId, operation, month })).rows;
  return row === undefined ? { books: { available: 0n, floor: 0n }, before: 0n } : toStanding(row);
}

/**
 * Locks the books of a customer until the transaction ends, as `lockBooks` does, and counts units, in one statement: the count waits for
 * the lock, and adds to the value at that time.
 *
 * @returns also the month that the units count in (see `countingMonth`).
 */
async function lockAndCount(
  tx: StoreTransaction,
  { nowMs, ...uncounted }: Omit<Counted, 'month'> & { readonly units: bigint; readonly nowMs: number },
): Promise<Standing & { readonly month: string }> {
  const now = utcMonth(nowMs);
  const standing = await tryLockAndCount(tx, { ...uncounted, month: now });
  if (standing !== undefined) return { ...standing, month: now };
  const month = countingMonth(await lockBooks(tx, uncounted.accountId), nowMs);
  const opened = await tryLockAndCount(tx, { ...uncounted, month });
  if (opened === undefined) throw new Error('the account was removed while its books were locked');
  return { ...opened, month };
}

async function tryLockAndCount(
  tx: StoreTransaction,
  { accountId, operation, month, units }: Counted & { readonly units: bigint },
): Promise<Standing | undefined> {
  const [row] = (await lock(tx, { accountId, operation, month, units: String(units) })).rows;
  return row && toStanding(row);
}

function toStanding({ available, floor, before }: StandingRow): Standing {
  return { books: { available: BigInt(available), floor: BigInt(floor ?? 0) }, before: BigInt(before ?? 0) };
}
