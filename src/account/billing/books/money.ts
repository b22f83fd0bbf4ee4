import type { StoreTransaction } from '../../../store/transaction.ts';
import type { Executes } from '../../../store/statement.ts';
import { serviceError } from '../../../core/service-error.ts';
import { type Books, countingMonth, lockBooks, post } from './books.ts';
import { readCount, toCharge, toUnits } from './operation-count.ts';
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
import { lockAndCount, readStanding } from './standing.ts';

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
