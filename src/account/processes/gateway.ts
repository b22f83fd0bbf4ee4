import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { eq, sql, and, isNull, notExists, notInArray, or } from '../../store/drizzle.ts';
import { gateways, idempotencyKeys } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { Clock } from '../../core/clock.ts';
import { deleteExpiredKeys } from '../idempotency/idempotency.ts';
import { processStartedAt } from '../../store/process-started-at.ts';
import { createRequestId } from '../../core/request-id.ts';
import { reservations } from '../../store/money-tables.ts';
import { innermostError } from '../../store/store-fault.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { SPEC_PRICES } from '../billing/books/prices.ts';
import { chargeInFull, releaseReservation } from '../billing/books/reservation.ts';

/** This process among those that serve on the same store. */
export type Gateway = {
  /** New at every start. */
  readonly id: string;
  /** Leaves, and settles the reservations of this process. */
  readonly close: () => Promise<void>;
};

export type GatewayOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Interval of the heartbeat and of the check for dead processes. Default 10,000 ms. */
  readonly beatMs?: number;
  /** Milliseconds of a clock that is never set. Default: that of the process. */
  readonly elapsedMs?: () => number;
};

const BEAT_MS = 10_000;

/**
 * Joins the processes that serve on a store, under a new id, and settles the reservations of processes that are gone: at once for processes
 * of this machine or of an embedded store; for those of another machine, after a minute in which this process sees no heartbeat of them.
 *
 * @throws Error that of the store. Later failures, and reservations that cannot be settled, are logged, and retried at the next beat.
 */
export async function joinGateways(options: GatewayOptions): Promise<Gateway> {
  const { store, clock, log, beatMs = BEAT_MS, elapsedMs = () => performance.now() } = options;
  const id = randomUUID();
  const watch = watchHeartbeats(elapsedMs);
  await showLife(store, id);
  await forgetGone(store, id, watch);
  const settled = await settleAbandoned(options, clock.nowMs());
  if (settled > 0) log.warn({ settled }, 'settled reservations of processes that are gone');
  const logFailure = (error: unknown): void =>
    log.error({ err: error }, 'cannot write the heartbeat of this process; retrying');
  const settle = async (): Promise<void> => {
    await forgetGone(store, id, watch);
    await settleAbandoned(options, clock.nowMs());
  };
  // Each on its own: a failure of one does not stop the others.
  const tidy = async (): Promise<void> => {
    await settle().catch(logFailure);
    await deleteExpiredKeys(store, clock.nowMs()).catch(logFailure);
  };
  let beat: Promise<void> | undefined;
  let tidying: Promise<void> | undefined;
  // A process that writes no heartbeat for a minute counts as gone: the heartbeat waits for no other work, which may take longer.
  const timer = setInterval(() => {
    beat ??= showLife(store, id)
      .catch(logFailure)
      .finally(() => (beat = undefined));
    tidying ??= tidy().finally(() => (tidying = undefined));
  }, beatMs);
  timer.unref();
  return {
    id,
    close: async () => {
      clearInterval(timer);
      await Promise.all([beat, tidying]);
      await store.db.delete(gateways).where(eq(gateways.id, id));
      await settleAbandoned(options, clock.nowMs());
    },
  };
}

/** Writes the row; again if others assumed that this process was gone. */
async function showLife(store: Store, id: string): Promise<void> {
  await store.db
    .insert(gateways)
    .values({ id, ...markOfThisProcess() })
    .onConflictDoUpdate({ target: gateways.id, set: { seenAt: sql`now()` } });
}

/**
 * Deletes the rows of processes that are gone: those of this machine at once, those of another when the watch has seen no heartbeat of them
 * for long enough. An embedded store has one process: all others are gone.
 */
async function forgetGone(store: Store, ownId: string, watch: WatchHeartbeats): Promise<void> {
  const rows = await store.db.select().from(gateways);
  const silent = watch(rows);
  for (const row of rows) {
    if (row.id === ownId) continue;
    const isRow = eq(gateways.id, row.id);
    if (store.kind === 'pglite' || isGone(row)) await store.db.delete(gateways).where(isRow);
    // Unless its heartbeat arrives at this moment.
    else if (silent.has(row.id))
      await store.db.delete(gateways).where(and(isRow, eq(gateways.seenAt, row.seenAt)));
  }
}

/** Identifies a process: the machine its pid belongs to, the pid, and when it started. */
type ProcessMark = { readonly machine: string; readonly pid: number; readonly started: string };

/** Returns the mark of this process. */
function markOfThisProcess(): ProcessMark {
  return {
    machine: machineMark(),
    pid: process.pid,
    started: processStartedAt(process.pid) ?? '',
  };
}

/** True when a process is known to be gone. A process of another machine cannot be judged from here. */
function isGone({ machine, pid, started }: ProcessMark): boolean {
  return machine === machineMark() && processStartedAt(pid) !== started;
}

/** On Linux the kernel's boot id and the pid namespace: two containers with the same name are not taken for one machine. */
function machineMark(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** A process, and the time of its last heartbeat. */
type Heartbeat = { readonly id: string; readonly seenAt: Date };

/** Takes the last heartbeats of all processes. @returns the ids of those that were silent for too long. */
type WatchHeartbeats = (heartbeats: readonly Heartbeat[]) => ReadonlySet<string>;

/** Milliseconds without a heartbeat after which a process is gone, while this one wrote all of its own. */
const SILENT_MS = 60_000;
/** Time of two heartbeats: this process missed one in between. */
const GAP_MS = 20_000;

type Watched = { readonly seenAtMs: number; readonly sinceMs: number };

/**
 * Watches the heartbeats of other processes. Call it at each successful heartbeat of this process. A process is silent if this one has seen
 * the same heartbeat of it for a minute, without a gap in its own: while the store does not answer, no process is silent.
 *
 * @param elapsedMs a clock that is never set; clocks of other machines and of the store do not count.
 */
export function watchHeartbeats(elapsedMs: () => number): WatchHeartbeats {
  let lastMs = Number.NEGATIVE_INFINITY;
  let watched: ReadonlyMap<string, Watched> = new Map();
  return (heartbeats) => {
    const nowMs = elapsedMs();
    const before = nowMs - lastMs > GAP_MS ? new Map<string, Watched>() : watched;
    lastMs = nowMs;
    watched = new Map(
      heartbeats.map(({ id, seenAt }) => {
        const known = before.get(id);
        const seenAtMs = seenAt.getTime();
        return [id, known?.seenAtMs === seenAtMs ? known : { seenAtMs, sinceMs: nowMs }];
      }),
    );
    const silent = [...watched].filter(([, { sinceMs }]) => nowMs - sinceMs >= SILENT_MS);
    return new Set(silent.map(([id]) => id));
  };
}

/** Status of streams, the only work that is delivered before it is charged. */
const STREAM_STATUS = 200;

type SettleOptions = { readonly store: Store; readonly log: Pick<Logger, 'error'> };

/**
 * Settles the reservations of processes that are not in `gateways`, each once even if others do the same. Work that may have been delivered
 * before it was charged is charged in full; its Idempotency-Key records that, so that undelivered wallets can be requested. The rest is
 * given back, and idempotency keys whose work committed nothing are deleted. A reservation that cannot be settled is logged and left for
 * the next time; it does not block others.
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
      log.error(facts, 'cannot settle a reservation of a process that is gone; retrying');
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
      // Not settled yet, here or by another process that found its owner gone: its work may still be stored.
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
