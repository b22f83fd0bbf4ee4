import { sql } from './drizzle.ts';
import type { Store } from './open-store.ts';
import type { StoreTransaction } from './transaction.ts';

export type Followed = {
  readonly channel: string;
  /** Reads one row, or all of them, into memory. */
  readonly read: (id?: string) => Promise<void>;
};

const ID = /^[0-9a-f-]{36}$/;
const EVERYTHING = '';

/**
 * Reads everything, and keeps memory in step with the writes of other processes. Undefined for a store of this process alone, whose writer
 * updates memory too.
 */
export async function followStore(
  listen: Store['listen'],
  { channel, read }: Followed,
): Promise<{ readonly close: () => Promise<void> }> {
  if (listen !== undefined)
    return listen(channel, {
      onConnected: () => read(),
      onAnnouncement: async (id) => {
        if (id === EVERYTHING) await read();
        else if (ID.test(id)) await read(id);
      },
    });
  await read();
  return { close: async () => undefined };
}

/** Notifies all processes that follow a channel to reload one row, or all, once the transaction commits. */
export async function announce(
  tx: Pick<StoreTransaction, 'execute'>,
  channel: string,
  id: string = EVERYTHING,
): Promise<void> {
  await tx.execute(sql`select pg_notify(${channel}, ${id})`);
}
