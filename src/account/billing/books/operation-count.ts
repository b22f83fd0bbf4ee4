import { and, eq, sql } from '../../../store/drizzle.ts';
import { operationCounts } from '../../../store/money-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import type { PriceBook } from '../../../../runtime/price-book.ts';
import type { AuditCharge } from '../../../../runtime/audit-bytes.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { Operation } from './prices.ts';

/** A counter: an account's operations of one price row in one UTC month (`2025-01`). */
export type Counted = { readonly accountId: string; readonly operation: Operation; readonly month: string };

/** Converts a number of units to an integer. @throws ServiceError `internalError` unless it is a whole number from 0. */
export function toUnits(count: number): bigint {
  if (Number.isSafeInteger(count) && count >= 0) return BigInt(count);
  throw serviceError('internalError', {}, new RangeError(`${count} is not a number of units`));
}

/**
 * Returns a charge as the audit log records it, with the prices that its amount follows from, if it does. Its units and amount are far
 * below 2^53.
 */
export function toCharge<O extends string>(
  { operation, month }: { readonly operation: O; readonly month: string },
  { units, amount }: { readonly units: bigint | number; readonly amount: bigint },
  book?: PriceBook<O>,
): AuditCharge {
  const charge = { operation, units: Number(units), month, amount: Number(amount) };
  if (book === undefined) return charge;
  const { standard, volume } = book.prices[operation];
  const volumeThreshold = Number(book.volumeThreshold);
  return { ...charge, prices: { standard: Number(standard), volume: Number(volume), volumeThreshold } };
}

/** Returns the number charged so far. Exact while the customer's books are locked. */
export async function readCount(tx: Pick<StoreTransaction, 'select'>, counted: Counted): Promise<bigint> {
  const { accountId, operation, month } = counted;
  const [row] = await tx
    .select({ units: operationCounts.units })
    .from(operationCounts)
    .where(
      and(
        eq(operationCounts.accountId, accountId),
        eq(operationCounts.operation, operation),
        eq(operationCounts.month, month),
      ),
    );
  return row?.units ?? 0n;
}

/** Adds units. @returns the number before. */
export async function addToCount(
  tx: StoreTransaction,
  { accountId, operation, month, units }: Counted & { readonly units: bigint },
): Promise<bigint> {
  const { accountId: owner, operation: row, month: inMonth } = operationCounts;
  const [counted] = await tx
    .insert(operationCounts)
    .values({ accountId, operation, month, units })
    .onConflictDoUpdate({
      target: [owner, row, inMonth],
      set: { units: sql`${operationCounts.units} + excluded.units` },
    })
    .returning({ units: operationCounts.units });
  return (counted?.units ?? units) - units;
}
