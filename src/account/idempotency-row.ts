import { timingSafeEqual } from 'node:crypto';
import { and, eq, isNull, or } from '../store/drizzle.ts';
import { gateways, type idempotencyKeys } from '../store/access-tables.ts';
import { reservations } from '../store/money-tables.ts';
import type { StoreTransaction } from '../store/transaction.ts';

export type KeyRow = typeof idempotencyKeys.$inferSelect;

/** This process, and the claims that it works on. */
export type Owner = { readonly ownerId: string; readonly underWay: Set<string> };

/** Lifetime of a key. */
export const KEPT_MS = 86_400_000;

/** True when the key's day is over and it no longer counts. */
export function isExpired({ createdAt }: KeyRow, nowMs: number): boolean {
  return createdAt.getTime() <= nowMs - KEPT_MS;
}

/** True when the key was used with this request; compares in constant time. */
export function isSameRequest({ fingerprint: kept }: KeyRow, fingerprint: Uint8Array): boolean {
  return kept.length === fingerprint.length && timingSafeEqual(kept, fingerprint);
}

/**
 * True while the process that does the work is alive and, if it is this one, still works on it; or while it left money reserved that is
 * about to be settled: charged in full, which the key will then record, or given back, behind what is still being stored.
 */
export async function isInUse(
  tx: StoreTransaction,
  { ownerId, underWay }: Owner,
  row: KeyRow,
): Promise<boolean> {
  if (row.ownerId === null) return false;
  if (row.ownerId === ownerId && underWay.has(row.claimId)) return true;
  if (row.ownerId !== ownerId) {
    const owners = await tx.select({ id: gateways.id }).from(gateways).where(eq(gateways.id, row.ownerId));
    if (owners.length > 0) return true;
  }
  const isOfClaim = eq(reservations.claimId, row.claimId);
  // Work that is charged as it is stored reserves without a claim.
  const isOfGone =
    row.ownerId === ownerId
      ? undefined
      : and(eq(reservations.accountId, row.accountId), eq(reservations.ownerId, row.ownerId));
  const isLeft = and(or(isOfClaim, isOfGone), isNull(reservations.closedAt));
  return (await tx.select({ id: reservations.id }).from(reservations).where(isLeft)).length > 0;
}
