import { and, eq } from '../../store/drizzle.ts';
import { gateways } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { isGone } from './this-process.ts';
import type { WatchHeartbeats } from './watch-heartbeats.ts';

/**
 * Deletes the rows of processes that are gone: those of this machine at once, those of another when the watch has seen no heartbeat of them
 * for long enough. An embedded store has one process: all others are gone.
 */
export async function forgetGone(store: Store, ownId: string, watch: WatchHeartbeats): Promise<void> {
  const rows = await store.db.select().from(gateways);
  const silent = watch(rows);
  for (const row of rows) {
    if (row.id === ownId) continue;
    const isRow = eq(gateways.id, row.id);
    if (store.kind === 'pglite' || isGone(row)) await store.db.delete(gateways).where(isRow);
    // Unless its heartbeat comes in this moment.
    else if (silent.has(row.id))
      await store.db.delete(gateways).where(and(isRow, eq(gateways.seenAt, row.seenAt)));
  }
}
