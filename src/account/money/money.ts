import { Unexpected } from '../../store/expectation.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import type { Executes } from '../../store/statement.ts';
import { serviceError } from '../../base/service-error.ts';
import { type Books, lockBooks, post } from './books.ts';
import { readCount, toUnits } from './operation-count.ts';
import { type Operation, type PriceBook, priceOf, samePriceRange, SPEC_PRICES, utcMonth } from './prices.ts';
import {
  drawOn,
  giveBack,
  insertReservation,
  newTerms,
  type Receipt,
  type Reservation,
  type ReservationTerms,
  settleUntouched,
} from './reservation.ts';
import { lockAndCount, lockAndCountExpected, lockExpected, readStanding } from './standing.ts';

/** What is to be done, and for whom. `units` is a whole number from 0. */
export type Work = {
  readonly accountId: string;
  readonly operation: Operation;
  readonly units: number;
  readonly nowMs: number;
};

/** What work costs, and what there is to pay it from. */
export type Quote = Omit<Work, 'nowMs'> & {
  readonly month: string;
  readonly books: Books;
  /** How many units were charged before. */
  readonly before: bigint;
  /** Micro-USD. */
  readonly amount: bigint;
};

/**
 * Charges for work. Each function takes the transaction that it belongs to, so that wallets, charge and audit record are
 * committed together. Each locks the customer's books until that transaction ends: let it be short, and lock in the order
 * idempotency row, money, audit.
 *
 * - Nothing is charged twice, nor above what was set aside; no balance goes below 0, or below minus the credit limit.
 * - What a process that ends leaves set aside is settled when it stops, when the next one starts, or within two minutes: charged in full
 *   where it may have been delivered already, so that no more is ever delivered than charged, and given back otherwise.
 * - Units count in the UTC month in which they were set aside, once they are charged.
 */
export type Money = {
  /**
   * Sets aside the most that the work can cost.
   * @throws ServiceError `balanceInsufficient` or, for an account that is invoiced, `creditLimitReached`; nothing is changed then.
   */
  readonly reserve: (tx: StoreTransaction, work: Work, terms?: ReservationTerms) => Promise<Reservation>;
  /**
   * Charges for units that were delivered; the rest stays set aside.
   * @throws ServiceError `reservationClosed`: what was done in this transaction must not be committed.
   */
  readonly charge: (
    tx: StoreTransaction,
    reservation: Reservation,
    deliveredUnits: number,
    nowMs: number,
  ) => Promise<Receipt>;
  /** Charges for the last units that were delivered, 0 or more, and gives back what is left. @throws as `charge`. */
  readonly settle: Money['charge'];
  /** Gives back what is left; without effect where that has happened. */
  readonly release: (
    tx: StoreTransaction,
    reservation: Pick<Reservation, 'id' | 'accountId'>,
    nowMs: number,
  ) => Promise<Receipt>;
  /** What the work would cost now, without locking anything. */
  readonly quote: (db: Executes, work: Work) => Promise<Quote>;
  /**
   * Charges at once for work that is done in this transaction, without setting anything aside.
   * @throws ServiceError as `reserve`: the transaction must not be committed then.
   */
  readonly chargeNow: (tx: StoreTransaction, work: Work) => Promise<Receipt>;
  /**
   * The same by statements that can go together with others (see `Store.together`), expecting that the quote still holds.
   * @throws Unexpected where it does not.
   */
  readonly chargeQuoted: (db: Executes, quote: Quote, nowMs: number) => Promise<Receipt>;
  /** Sets aside what was quoted, in the same way. @throws as `chargeQuoted`. */
  readonly reserveQuoted: (
    db: Executes,
    quote: Quote,
    nowMs: number,
    terms?: ReservationTerms,
  ) => Promise<Reservation>;
  /**
   * Charges for all units that were delivered of a reservation, 1 or more, and gives back what is left, in the same way.
   * @throws Unexpected where something was charged for it before, or the price is another one by now.
   */
  readonly settleExpected: (
    db: Executes,
    reservation: Reservation,
    deliveredUnits: number,
    nowMs: number,
  ) => Promise<Receipt>;
};

export type MoneyOptions = {
  /** The id of this process in `gateways`: what it leaves set aside is settled when it ends. */
  readonly ownerId: string;
  /** Default: those of spec/plans.yaml. */
  readonly prices?: PriceBook;
};

/** Charges by a price book, in the name of this process. */
export function createMoney({ ownerId, prices = SPEC_PRICES }: MoneyOptions): Money {
  return {
    reserve: async (tx, { accountId, operation, units, nowMs }, terms = newTerms()) => {
      const books = await lockBooks(tx, accountId);
      const month = utcMonth(nowMs);
      const before = await readCount(tx, { accountId, operation, month });
      const amount = priceOf(prices, { operation, before, units: toUnits(units) });
      assertPayable({ books, amount });
      const reservation = { id: terms.id, accountId, operation, month, units, before, amount };
      const parts = { available: -amount, reserved: amount };
      await post(tx, books, { kind: 'reserve', reservationId: reservation.id, nowMs, parts });
      await insertReservation(tx, { ...reservation, ...terms, ownerId, nowMs });
      return reservation;
    },
    charge: (tx, reservation, units, nowMs) =>
      drawOn(tx, prices, { reservation, units, isLast: false, nowMs }),
    settle: (tx, reservation, units, nowMs) =>
      drawOn(tx, prices, { reservation, units, isLast: true, nowMs }),
    release: giveBack,
    quote: async (db, { accountId, operation, units, nowMs }) => {
      const counted = { accountId, operation, month: utcMonth(nowMs) };
      const { books, before } = await readStanding(db, counted);
      const amount = priceOf(prices, { operation, before, units: toUnits(units) });
      return { ...counted, units, books, before, amount };
    },
    chargeNow: async (tx, { accountId, operation, units, nowMs }) => {
      const counted = { accountId, operation, month: utcMonth(nowMs), units: toUnits(units) };
      const { books, before } = await lockAndCount(tx, counted);
      const charged = priceOf(prices, { operation, before, units: counted.units });
      assertPayable({ books, amount: charged });
      const parts = { available: -charged, revenue: charged };
      await post(tx, books, { kind: 'charge', counted, nowMs, parts });
      return { charged, refunded: 0n };
    },
    chargeQuoted: async (db, { amount, before, ...quote }, nowMs) => {
      const counted = countedOf(quote, nowMs);
      const range = samePriceRange(prices, { before, units: counted.units });
      const parts = { available: -amount, revenue: amount };
      await Promise.all([
        lockAndCountExpected(db, counted, { range, amount }),
        post(db, counted, { kind: 'charge', counted, nowMs, parts }),
      ]);
      return { charged: amount, refunded: 0n };
    },
    reserveQuoted: async (db, { books: _books, ...quote }, nowMs, terms = newTerms()) => {
      const { amount, before } = quote;
      const counted = countedOf(quote, nowMs);
      const range = samePriceRange(prices, { before, units: counted.units });
      const { id } = terms;
      const parts = { available: -amount, reserved: amount };
      await Promise.all([
        lockExpected(db, counted, { range, amount }),
        post(db, counted, { kind: 'reserve', reservationId: id, nowMs, parts }),
        insertReservation(db, { ...quote, ...terms, ownerId, nowMs }),
      ]);
      return { ...quote, id };
    },
    settleExpected: (db, reservation, units, nowMs) =>
      settleUntouched(db, prices, { reservation, units, nowMs }),
  };
}

/** What is counted of a quote. @throws Unexpected in another month. */
function countedOf(
  { accountId, operation, month, units }: Omit<Quote, 'books' | 'before' | 'amount'>,
  nowMs: number,
) {
  if (month !== utcMonth(nowMs)) throw new Unexpected('the quote is of another month');
  return { accountId, operation, month, units: toUnits(units) };
}

/** @throws ServiceError `balanceInsufficient` or, for an account that is invoiced, `creditLimitReached`. */
export function assertPayable({
  books: { available, floor },
  amount,
}: Pick<Quote, 'books' | 'amount'>): void {
  if (available - amount >= floor) return;
  const error = floor < 0n ? 'creditLimitReached' : 'balanceInsufficient';
  throw serviceError(error, { required: amount, available: available - floor });
}
