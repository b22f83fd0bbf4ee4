import { statfs } from 'node:fs/promises';
import type pg from 'pg';
import { storeUnavailable } from './store-errors.ts';
import { isWriteFault, storeFaultOf } from './store-fault.ts';

export type StoreHealthOptions = {
  readonly pool: Pick<pg.Pool, 'connect' | 'query'>;
  /** Name of the store in errors. */
  readonly where: string;
  /** Directory of the store's files, if on this machine. */
  readonly directory: string | undefined;
};

/** Tracks whether a store can be read and written. */
export type StoreHealth = {
  /** Notes the error of a failed statement: a full disk shows only in statements that need space. */
  readonly note: (error: Error) => void;
  /** Resolves when the store can be used. Concurrent callers share one answer. @throws ServiceError `storeUnavailable`. */
  readonly ping: () => Promise<void>;
};

/** PostgreSQL writes its log in segments of this size, and stops at once if it cannot create the next. */
const WAL_SEGMENT_BYTES = 16 * 2 ** 20;
/** 128 KiB, in rows that are too short to be stored out of line. */
const PROBE = `insert into keyslot_write_probe select repeat('x', 1900) from generate_series(1, 64)`;

/**
 * Watches a store. After a statement failed because nothing can be written, a ping tries to write until it succeeds, with a table that is
 * created, filled and rolled back in one transaction: rows that fit in existing pages prove nothing.
 */
export function createStoreHealth({ pool, where, directory }: StoreHealthOptions): StoreHealth {
  let doubt: Error | undefined;
  let pinging: Promise<void> | undefined;
  const ping = async (): Promise<void> => {
    try {
      await pool.query('select 1');
      if (directory !== undefined) await assertRoom(directory);
      if (doubt === undefined) return;
      await tryToWrite(pool);
      doubt = undefined;
    } catch (error) {
      throw storeUnavailable(where, error);
    }
  };
  return {
    note: (error) => {
      if (isWriteFault(storeFaultOf(error))) doubt = error;
    },
    ping: () => {
      pinging ??= ping().finally(() => {
        pinging = undefined;
      });
      return pinging;
    },
  };
}

/** @throws Error if the disk of a directory has less free space than PostgreSQL needs to continue. */
export async function assertRoom(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= WAL_SEGMENT_BYTES) return;
  throw new Error(
    `ENOSPC: ${bavail * bsize} bytes are free on the disk of ${directory}, and ${WAL_SEGMENT_BYTES} are needed at least`,
  );
}

/** @throws the error that keeps PostgreSQL from writing. A missing permission to create the table does not count. */
async function tryToWrite(pool: StoreHealthOptions['pool']): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('create table keyslot_write_probe (filler text)');
    await client.query(PROBE);
    await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(true);
    if (storeFaultOf(error) !== undefined) throw error;
  }
}
