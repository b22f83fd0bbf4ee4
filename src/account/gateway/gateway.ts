import { randomUUID } from 'node:crypto';
import { eq, sql } from '../../store/drizzle.ts';
import type { Logger } from 'pino';
import { gateways } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { Clock } from '../../base/clock.ts';
import { deleteExpiredKeys } from '../idempotency.ts';
import { forgetGone } from './forget-gone.ts';
import { settleAbandoned } from './settle-abandoned.ts';
import { markOfThisProcess } from './this-process.ts';
import { watchHeartbeats } from './watch-heartbeats.ts';

/** This process among those that serve on the same store. */
export type Gateway = {
  /** New at every start. */
  readonly id: string;
  /** Leaves: settles what the process has reserved. */
  readonly close: () => Promise<void>;
};

export type GatewayOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Interval of the heartbeat and of the check for dead processes. Default 10,000 ms. */
  readonly beatMs?: number;
  /** Milliseconds by a clock that nobody sets. Default: that of the process. */
  readonly elapsedMs?: () => number;
};

const BEAT_MS = 10_000;

/**
 * Joins the processes that serve on a store, under a new id, and settles what processes that are gone left reserved: at once for those of
 * this machine or an embedded store, after a minute in which this process sees no heartbeat of them for those of another machine.
 *
 * @throws Error the store's. Later failures, and reservations that cannot be settled, are logged, and retried at the next beat.
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
    log.error({ err: error }, 'the heartbeat failed; trying again');
  const settle = async (): Promise<void> => {
    await forgetGone(store, id, watch);
    await settleAbandoned(options, clock.nowMs());
  };
  // Each by itself: what one cannot do keeps the other from nothing.
  const tidy = async (): Promise<void> => {
    await settle().catch(logFailure);
    await deleteExpiredKeys(store, clock.nowMs()).catch(logFailure);
  };
  let beat: Promise<void> | undefined;
  let tidying: Promise<void> | undefined;
  // Others take a process for gone that shows no life for a minute: that waits for nothing else, which may take longer.
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

/** Writes the row, again if others took this process for gone. */
async function showLife(store: Store, id: string): Promise<void> {
  await store.db
    .insert(gateways)
    .values({ id, ...markOfThisProcess() })
    .onConflictDoUpdate({ target: gateways.id, set: { seenAt: sql`now()` } });
}
