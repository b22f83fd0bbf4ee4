import { statfs } from 'node:fs/promises';
import type pg from 'pg';
import { storeUnavailable } from './store-errors.ts';
import { isWriteFault, storeFaultOf } from './store-fault.ts';

export type StoreHealthOptions = {
  readonly pool: Pick<pg.Pool, 'connect' | 'query'>;
  /** Names the store in errors. */
  readonly where: string;
  /** Where the files of the store lie, if that is on this machine. */
  readonly directory: string | undefined;
};

/** Whether a store can be read and written. */
export type StoreHealth = {
  /** Takes note of what a statement failed with: of a full disk nothing tells but the statement that needs room. */
  readonly note: (error: Error) => void;
  /** Resolves when the store can be used. @throws ServiceError `storeUnavailable`. */
  readonly ping: () => Promise<void>;
};

/** PostgreSQL writes its log in segments of this size, and has to stop at once where it cannot make the next. */
const WAL_SEGMENT_BYTES = 16 * 2 ** 20;
/** 128 KiB, of rows that are too short to be put elsewhere. */
const PROBE = `insert into keyslot_write_probe select repeat('x', 1900) from generate_series(1, 64)`;

/**
 * Watches a store. Where a statement failed because nothing can be written, a ping tries it, until it works: with a table that is made, filled
 * and forgotten in one transaction, because rows that find room in pages which are there say nothing.
 */
export function createStoreHealth({ pool, where, directory }: StoreHealthOptions): StoreHealth {
  let doubt: Error | undefined;
  let trying: Promise<void> | undefined;
  const resolveDoubt = async (): Promise<void> => {
    await tryToWrite(pool);
    doubt = undefined;
  };
  return {
    note: (error) => {
      if (isWriteFault(storeFaultOf(error))) doubt = error;
    },
    ping: async () => {
      try {
        await pool.query('select 1');
        if (directory !== undefined) await assertRoom(directory);
        if (doubt === undefined) return;
        trying ??= resolveDoubt().finally(() => {
          trying = undefined;
        });
        await trying;
      } catch (error) {
        throw storeUnavailable(where, error);
      }
    },
  };
}

/** @throws Error where less is free on the disk of a directory than PostgreSQL needs to go on. */
export async function assertRoom(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= WAL_SEGMENT_BYTES) return;
  throw new Error(
    `ENOSPC: ${bavail * bsize} bytes are free on the disk of ${directory}, and ${WAL_SEGMENT_BYTES} are needed at least`,
  );
}

/** @throws what keeps PostgreSQL from writing. That the table may not be made says nothing of it. */
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
