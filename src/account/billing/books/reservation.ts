import { randomUUID } from 'node:crypto';
import { and, eq, gt, isNull } from '../../../store/drizzle.ts';
import { insertRows } from '../../../store/insert-rows.ts';
import { reservations } from '../../../store/money-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { buildSql, type Defers } from '../../../store/statement.ts';
import type { AuditCharge } from '../../../../runtime/audit-bytes.ts';
import { serviceError } from '../../../core/service-error.ts';
import { type LockedBooks, lockBooks, post } from './books.ts';
import { addToCount, type Counted, toCharge, toUnits } from './operation-count.ts';
import type { Operation, PriceBook } from './prices.ts';
import { priceOf, type PriceBook as Book, type PricedUnits } from '../../../../runtime/price-book.ts';

/** Money reserved for work. */
export type Reservation = Counted & {
  readonly id: string;
  readonly units: number;
  /** Number of units charged before. */
  readonly before: bigint;
  /** Micro-USD: the maximum cost of the work. */
  readonly amount: bigint;
};

/** The terms of a reservation, apart from its work. */
export type ReservationTerms = {
  readonly id: string;
  /** True: charged in full if its process is gone, because more may have been delivered than was charged. */
  readonly isChargedWhenLost: boolean;
  /** Claim of its request's Idempotency-Key. */
  readonly claimId: string | null;
};

/** Returns the terms of a reservation that is given back if its process is gone: nothing is delivered before it is charged. */
export function newTerms(): ReservationTerms {
  return { id: randomUUID(), isChargedWhenLost: false, claimId: null };
}

/** The charged and refunded amounts of a call, in micro-USD. */
export type Receipt = {
  readonly charged: bigint;
  readonly refunded: bigint;
  /** The charge, for the audit log; undefined if no units were charged. */
  readonly charge?: AuditCharge;
};

/** A charge against a reservation: the number of units, and whether they are the last. */
export type ReservationCharge = {
  readonly reservation: Pick<Reservation, 'id' | 'accountId'>;
  readonly units: number;
  readonly isLast: boolean;
  readonly nowMs: number;
};

type Row = typeof reservations.$inferSelect;

/** Shown to an operator who is asked to credit it. */
const CHARGED_IN_FULL = 'charged in full: the server ended before it could count what was delivered';

/** Writes a new reservation of a process, with the prices that its amount follows from, before the next statement of the transaction. */
export function insertReservation(
  tx: Defers,
  { prices, volumeThreshold }: PriceBook,
  {
    before: _before,
    nowMs,
    units,
    ...whole
  }: Reservation & ReservationTerms & { readonly ownerId: string; readonly nowMs: number },
): void {
  const untouched = { delivered: 0n, charged: 0n, closedAt: null };
  const { standard, volume } = prices[whole.operation];
  const made = { standardPrice: standard, volumePrice: volume, volumeThreshold };
  insertRows(tx, reservations, [
    { ...whole, ...untouched, ...made, units: toUnits(units), createdAt: new Date(nowMs) },
  ]);
}

/**
 * Charges for delivered units and, with the last ones, gives back the rest. The price depends on the units counted so far: since they only
 * grow within a month, and the volume price is the lower one, the reserved amount suffices.
 *
 * @throws ServiceError `reservationClosed`, `reservationCharged`.
 */
export async function chargeReservation(
  tx: StoreTransaction,
  listed: PriceBook,
  draft: ReservationCharge,
): Promise<Receipt> {
  const { reservation, isLast, nowMs } = draft;
  const books = await lockBooks(tx, reservation.accountId);
  const row = await readOpen(tx, reservation.id);
  if (row === undefined) throw serviceError(await reasonOfClosing(tx, reservation.id));
  const units = toUnits(draft.units);
  if (row.delivered + units > row.units) {
    const cause = new RangeError(`${row.units} units were reserved, but ${row.delivered + units} delivered`);
    throw serviceError('internalError', {}, cause);
  }
  return write(tx, books, { ...(await countUnits(tx, { row, units, listed })), isLast, nowMs });
}

/** Gives back the rest of a reservation; has no effect if it is closed. */
export async function releaseReservation(
  tx: StoreTransaction,
  { id, accountId }: Pick<Reservation, 'id' | 'accountId'>,
  nowMs: number,
): Promise<Receipt> {
  const books = await lockBooks(tx, accountId);
  const row = await readOpen(tx, id);
  if (row === undefined) return { charged: 0n, refunded: 0n };
  return write(tx, books, { row, units: 0n, charged: 0n, prices: undefined, isLast: true, nowMs });
}

/**
 * Charges for all uncharged units of a reservation, delivered or not; has no effect if it is closed.
 *
 * @returns the charge, for the audit log; undefined if there was none.
 */
export async function chargeInFull(
  tx: StoreTransaction,
  listed: PriceBook,
  { id, accountId }: Pick<Reservation, 'id' | 'accountId'>,
  nowMs: number,
): Promise<AuditCharge | undefined> {
  const books = await lockBooks(tx, accountId);
  const row = await readOpen(tx, id);
  if (row === undefined) return undefined;
  const units = row.units - row.delivered;
  const counted = await countUnits(tx, { row, units, listed });
  return write(tx, books, { ...counted, isLast: true, nowMs, note: CHARGED_IN_FULL }).charge;
}

type Uncounted = { readonly row: Row; readonly units: bigint; readonly listed: PriceBook };

/** Counts units of a reservation, and prices them as when it was made. */
async function countUnits(
  tx: StoreTransaction,
  { row, units, listed }: Uncounted,
): Promise<Pick<Change, 'row' | 'units' | 'charged' | 'prices'>> {
  const counted = countedOf(row);
  const before = units === 0n ? 0n : await addToCount(tx, { ...counted, units });
  const priced = { operation: row.operation, before, units };
  const prices = reservedPrices(row, priced, listed);
  return { row, units, charged: priceOf(prices, priced), prices };
}

/** Returns why a reservation is closed: another process that assumed this one was gone has charged it in full or given it back. */
async function reasonOfClosing(
  tx: StoreTransaction,
  id: string,
): Promise<'reservationCharged' | 'reservationClosed'> {
  const { charged, isChargedWhenLost } = reservations;
  const isCharged = and(eq(reservations.id, id), isChargedWhenLost, gt(charged, 0n));
  const rows = await tx.select({ charged }).from(reservations).where(isCharged);
  return rows.length > 0 ? 'reservationCharged' : 'reservationClosed';
}

async function readOpen(tx: StoreTransaction, id: string): Promise<Row | undefined> {
  const isOpen = and(eq(reservations.id, id), isNull(reservations.closedAt));
  const [row] = await tx.select().from(reservations).where(isOpen);
  return row;
}

type Change = {
  readonly row: Row;
  readonly units: bigint;
  readonly charged: bigint;
  /** The prices that `charged` follows from; undefined if nothing is charged. */
  readonly prices: Book | undefined;
  readonly isLast: boolean;
  readonly nowMs: number;
  readonly note?: string;
};

function write(
  tx: StoreTransaction,
  books: LockedBooks,
  { row, units, charged, prices, isLast, nowMs, note }: Change,
): Receipt {
  const refunded = isLast ? row.amount - row.charged - charged : 0n;
  const closedAt = isLast ? new Date(nowMs) : null;
  const grown = { delivered: row.delivered + units, charged: row.charged + charged, closedAt };
  tx.defer(buildSql(tx.update(reservations).set(grown).where(eq(reservations.id, row.id))));
  post(tx, books, {
    kind: units === 0n ? 'refund' : 'charge',
    reservationId: row.id,
    ...(units === 0n ? {} : { counted: { ...countedOf(row), units } }),
    nowMs,
    note,
    parts: { available: refunded, reserved: -charged - refunded, revenue: charged },
  });
  if (units === 0n) return { charged, refunded };
  return { charged, refunded, charge: toCharge(countedOf(row), { units, amount: charged }, prices) };
}

/** Only operations of a price book are written there. */
function countedOf({ accountId, operation, month }: Row): Counted {
  return { accountId, operation: operation as Operation, month };
}

type Reserved = Pick<
  typeof reservations.$inferSelect,
  'operation' | 'amount' | 'charged' | 'standardPrice' | 'volumePrice' | 'volumeThreshold'
>;

/**
 * Returns the prices of the units of a reservation: those that its amount follows from. A reservation from before prices were stored uses
 * the price list or, if that exceeds the rest of its amount, divides the rest by the units.
 */
function reservedPrices(reserved: Reserved, priced: PricedUnits, listed: Book): Book {
  const prices = keptPrices(reserved) ?? listed;
  const left = reserved.amount - reserved.charged;
  if (priceOf(prices, priced) <= left) return prices;
  const each = left / priced.units;
  return { ...prices, prices: { [reserved.operation]: { standard: each, volume: each } } };
}

function keptPrices({ operation, volumeThreshold, ...row }: Reserved): Book | undefined {
  const { standardPrice: standard, volumePrice: volume } = row;
  if (standard === null || volume === null || volumeThreshold === null) return undefined;
  return { volumeThreshold, prices: { [operation]: { standard, volume } } };
}
