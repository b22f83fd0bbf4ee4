import { createRequestId } from '../../base/request-id.ts';
import { and, eq, isNull, notExists, notInArray, sql } from '../../store/drizzle.ts';
import { gateways, idempotencyKeys } from '../../store/access-tables.ts';
import { reservations } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { SPEC_PRICES } from '../money/prices.ts';
import { chargeInFull, releaseReservation } from '../money/reservation.ts';
import { isGone } from './this-process.ts';

/** A process of another machine counts as gone after this time without a heartbeat, by the clock of the database. */
const SILENT_SECONDS = 60;
/** Status of streams, the only work that is delivered before it is charged. */
const STREAM_STATUS = 200;

/**
 * Settles what processes that are gone left reserved, each reservation once even if others do the same. Work that may have been delivered
 * before it was charged is charged in full; its Idempotency-Key records that, so that undelivered wallets can be requested. The rest is
 * given back, and idempotency keys whose work committed nothing are deleted. An embedded store has one process: all others are gone.
 *
 * @returns the number of settled reservations.
 */
export async function settleAbandoned(store: Store, ownId: string, nowMs: number): Promise<number> {
  await forgetGone(store, ownId);
  const alive = store.db.select({ id: gateways.id }).from(gateways);
  const isAbandoned = and(isNull(reservations.closedAt), notInArray(reservations.ownerId, alive));
  const { id, accountId, isChargedWhenLost, claimId, units } = reservations;
  const abandoned = await store.db
    .select({ id, accountId, isChargedWhenLost, claimId, units })
    .from(reservations)
    .where(isAbandoned);
  for (const reservation of abandoned) {
    await store.transaction(async (tx) => {
      if (reservation.isChargedWhenLost) await chargeLost(tx, reservation, nowMs);
      else await releaseReservation(tx, reservation, nowMs);
    });
  }
  const made = store.db.select({ id: wallets.id }).from(wallets);
  const left = store.db.select({ id }).from(reservations);
  await store.db.delete(idempotencyKeys).where(
    and(
      isNull(idempotencyKeys.status),
      notInArray(idempotencyKeys.ownerId, alive),
      notExists(made.where(eq(wallets.workId, idempotencyKeys.workId))),
      // Another process found it gone in the meantime and will settle it.
      notExists(left.where(and(eq(claimId, idempotencyKeys.claimId), isNull(reservations.closedAt)))),
    ),
  );
  return abandoned.length;
}

type Lost = Pick<typeof reservations.$inferSelect, 'id' | 'accountId' | 'claimId' | 'units'>;

/** Locks the row of the key before the books, as everywhere. */
async function chargeLost(tx: StoreTransaction, lost: Lost, nowMs: number): Promise<void> {
  if (lost.claimId !== null) {
    const isClaimed = and(eq(idempotencyKeys.claimId, lost.claimId), isNull(idempotencyKeys.status));
    await tx
      .update(idempotencyKeys)
      .set({ status: STREAM_STATUS, charged: Number(lost.units), ownerId: null })
      .where(and(eq(idempotencyKeys.accountId, lost.accountId), isClaimed));
  }
  const charge = await chargeInFull(tx, SPEC_PRICES, lost, nowMs);
  if (charge === undefined) return;
  const { units } = charge;
  const fact = { action: 'charge', outcome: 'interrupted', units, requestId: createRequestId() };
  await appendAudit(tx, lost.accountId, [{ ...fact, charges: [charge] }], nowMs);
}

async function forgetGone(store: Store, ownId: string): Promise<void> {
  const rows = await store.db
    .select({
      ...{ id: gateways.id, machine: gateways.machine, pid: gateways.pid, started: gateways.started },
      isSilent: sql<boolean>`${gateways.seenAt} < now() - make_interval(secs => ${SILENT_SECONDS})`,
    })
    .from(gateways);
  for (const row of rows) {
    if (row.id === ownId) continue;
    if (store.kind === 'pglite' || row.isSilent || isGone(row))
      await store.db.delete(gateways).where(eq(gateways.id, row.id));
  }
}
