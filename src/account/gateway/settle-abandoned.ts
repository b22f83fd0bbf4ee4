import { createRequestId } from '../../base/request-id.ts';
import type { Logger } from 'pino';
import { and, eq, isNull, notExists, notInArray, or } from '../../store/drizzle.ts';
import { gateways, idempotencyKeys } from '../../store/access-tables.ts';
import { reservations } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { innermostError } from '../../store/store-fault.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { SPEC_PRICES } from '../money/prices.ts';
import { chargeInFull, releaseReservation } from '../money/reservation.ts';

/** Status of streams, the only work that is delivered before it is charged. */
const STREAM_STATUS = 200;

export type SettleOptions = { readonly store: Store; readonly log: Pick<Logger, 'error'> };

/**
 * Settles what processes that are not in `gateways` left reserved, each reservation once even if others do the same. Work that may have been delivered
 * before it was charged is charged in full; its Idempotency-Key records that, so that undelivered wallets can be requested. The rest is
 * given back, and idempotency keys whose work committed nothing are deleted. A reservation that cannot be settled is logged, left for the
 * next time, and keeps no other from it.
 *
 * @returns the number of settled reservations.
 */
export async function settleAbandoned({ store, log }: SettleOptions, nowMs: number): Promise<number> {
  const alive = store.db.select({ id: gateways.id }).from(gateways);
  const isAbandoned = and(isNull(reservations.closedAt), notInArray(reservations.ownerId, alive));
  const { id, accountId, isChargedWhenLost, claimId, units } = reservations;
  const abandoned = await store.db
    .select({ id, accountId, isChargedWhenLost, claimId, units })
    .from(reservations)
    .where(isAbandoned);
  let settled = 0;
  for (const reservation of abandoned) {
    try {
      await store.transaction(async (tx) => {
        if (reservation.isChargedWhenLost) await chargeLost(tx, reservation, nowMs);
        else await releaseReservation(tx, reservation, nowMs);
      });
      settled += 1;
    } catch (error) {
      const facts = { reservationId: reservation.id, err: innermostError(error) };
      log.error(facts, 'a reservation of a process that is gone could not be settled; trying again');
    }
  }
  const made = store.db.select({ id: wallets.id }).from(wallets);
  const left = store.db.select({ id }).from(reservations);
  const isOfClaim = eq(claimId, idempotencyKeys.claimId);
  const isOfOwner = and(
    eq(accountId, idempotencyKeys.accountId),
    eq(reservations.ownerId, idempotencyKeys.ownerId),
  );
  await store.db.delete(idempotencyKeys).where(
    and(
      isNull(idempotencyKeys.status),
      notInArray(idempotencyKeys.ownerId, alive),
      notExists(made.where(eq(wallets.workId, idempotencyKeys.workId))),
      // Not settled yet, here or by another process that found it gone: its work may still be stored.
      notExists(left.where(and(or(isOfClaim, isOfOwner), isNull(reservations.closedAt)))),
    ),
  );
  return settled;
}

type Lost = Pick<typeof reservations.$inferSelect, 'id' | 'accountId' | 'claimId' | 'units'>;

/**
 * Charges what may have been delivered, and records that with the key. Locks the row of the key before the books, as everywhere. A reservation
 * that its owner has closed meanwhile charged something else, or nothing: its key is the owner's.
 */
async function chargeLost(tx: StoreTransaction, lost: Lost, nowMs: number): Promise<void> {
  const { claimId, accountId } = lost;
  const isClaimed =
    claimId === null
      ? undefined
      : and(
          eq(idempotencyKeys.claimId, claimId),
          isNull(idempotencyKeys.status),
          eq(idempotencyKeys.accountId, accountId),
        );
  if (isClaimed !== undefined)
    await tx.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(isClaimed).for('update');
  const charge = await chargeInFull(tx, SPEC_PRICES, lost, nowMs);
  if (charge === undefined) return;
  if (isClaimed !== undefined)
    await tx
      .update(idempotencyKeys)
      .set({ status: STREAM_STATUS, charged: Number(lost.units), ownerId: null })
      .where(isClaimed);
  const { units } = charge;
  const fact = { action: 'charge', outcome: 'interrupted', units, requestId: createRequestId() };
  await appendAudit(tx, accountId, [{ ...fact, charges: [charge] }], nowMs);
}
