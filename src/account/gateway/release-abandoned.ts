import { and, eq, isNull, notExists, notInArray, sql } from '../../store/drizzle.ts';
import { gateways, idempotencyKeys } from '../../store/access-tables.ts';
import { reservations } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { giveBack } from '../money/reservation.ts';
import { isGone } from './this-process.ts';

/** How long a process of another machine may not have been seen, by the clock of the database, before it counts as gone. */
const SILENT_SECONDS = 60;

/**
 * Gives back what processes that are gone had set aside, each reservation once whoever else does the same, and forgets the
 * idempotency keys whose work they began and committed nothing of. An embedded store has one process: all
 * others are gone.
 *
 * @returns how many reservations were given back.
 */
export async function releaseAbandoned(store: Store, ownId: string, nowMs: number): Promise<number> {
  await forgetGone(store, ownId);
  const alive = store.db.select({ id: gateways.id }).from(gateways);
  const made = store.db.select({ id: wallets.id }).from(wallets);
  await store.db
    .delete(idempotencyKeys)
    .where(
      and(
        isNull(idempotencyKeys.status),
        notInArray(idempotencyKeys.ownerId, alive),
        notExists(made.where(eq(wallets.workId, idempotencyKeys.workId))),
      ),
    );
  const abandoned = await store.db
    .select({ id: reservations.id, accountId: reservations.accountId })
    .from(reservations)
    .where(and(isNull(reservations.closedAt), notInArray(reservations.ownerId, alive)));
  for (const reservation of abandoned) {
    await store.db.transaction((tx) => giveBack(tx, reservation, nowMs));
  }
  return abandoned.length;
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
