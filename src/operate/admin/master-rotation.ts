import { and, asc, gt, isNotNull, sql } from '../../store/drizzle.ts';
import type { Logger } from 'pino';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { type ResealedRow, type RotationOptions, rotateMaster } from '../../signer/rotate-master.ts';
import type { SealedWork } from '../../signer/sealed-work.ts';
import type { Store } from '../../store/open-store.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { wallets } from '../../store/wallet-tables.ts';

/** The result of `keyslot signer rotate-master --json`. */
export type RotationResult = {
  /** Wallets whose key is encrypted in their row; all are now under the new master key. */
  readonly wallets: number;
  /** The wallets that this run re-encrypted. */
  readonly resealed: number;
  /** The credential file that the operator has to remove; null if the signer deleted the old key itself. */
  readonly previous_master_key_file: string | null;
};

/** The rotation of all wallets of a store to another master key. */
export type MasterRotation = {
  /**
   * Rotates, or continues an interrupted rotation. A call during a run returns the result of that run.
   *
   * @throws ServiceError `rotationUnfinished` when the server stops or older work does not end; errors of signer and store.
   *   Both master keys then stay in use, and every key can be decrypted.
   */
  readonly run: () => Promise<RotationResult>;
  /** Stops a run between two steps, and refuses new ones. Call it before closing the signer. */
  readonly close: () => Promise<void>;
};

export type MasterRotationOptions = Pick<RotationOptions, 'signer'> & {
  readonly store: Pick<Store, 'db'>;
  /** Resolves when the current work with encrypted keys has ended. */
  readonly settled: SealedWork['settled'];
  /** The setting `hsm.soft.previous_master_key_file`. */
  readonly previousMasterKeyFile: string | undefined;
  readonly log: Pick<Logger, 'info' | 'debug'>;
  /** The time that older work has to end. Default 600,000 ms. */
  readonly settleMs?: number;
};

const PAGE = 1_000;
const SETTLE_MS = 600_000;
/** The name of the part in errors of the store. */
const WHERE = 'wallets';

/** Creates the rotation over the rows of a store. */
export function createMasterRotation(options: MasterRotationOptions): MasterRotation {
  const { previousMasterKeyFile = null, log } = options;
  const stopping = new AbortController();
  let running: Promise<RotationResult> | undefined;
  const rotate = async (): Promise<RotationResult> => {
    stopping.signal.throwIfAborted();
    log.info('rotating the master key');
    const { seen, resealed } = await rotateMaster(placeOf(options, stopping.signal));
    log.info({ wallets: seen, resealed }, 'the master key is rotated');
    return { wallets: seen, resealed, previous_master_key_file: previousMasterKeyFile };
  };
  return {
    run: () => {
      running ??= rotate().finally(() => {
        running = undefined;
      });
      return running;
    },
    close: async () => {
      stopping.abort(unfinished('the server is stopping'));
      await running?.catch(() => undefined);
    },
  };
}

function placeOf(options: MasterRotationOptions, stop: AbortSignal): RotationOptions {
  const { signer, store, settled, log, settleMs = SETTLE_MS } = options;
  return {
    signer,
    rows: () => readRows(store, stop),
    write: async (changes) => {
      stop.throwIfAborted();
      await writeRows(store, changes);
    },
    settled: () => endOf(settled(), stop, settleMs),
    onProgress: (progress) => log.debug(progress, 're-encrypted keys'),
  };
}

/** Every wallet whose key is in its row, in pages by id. Wallets created meanwhile may be included or not. */
async function* readRows({ db }: Pick<Store, 'db'>, stop: AbortSignal): ReturnType<RotationOptions['rows']> {
  const { id, accountId, sealed } = wallets;
  for (let after = ''; ; ) {
    stop.throwIfAborted();
    const page = await withStoreErrors(WHERE, () =>
      db
        .select({ walletId: id, accountId, sealed })
        .from(wallets)
        .where(and(isNotNull(sealed), gt(id, after)))
        .orderBy(asc(id))
        .limit(PAGE),
    );
    for (const row of page) if (row.sealed !== null) yield { ...row, sealed: row.sealed };
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.walletId;
  }
}

/** Writes the rows in one statement. Wallets destroyed meanwhile no longer have a row, and rows that changed are left alone. */
async function writeRows({ db }: Pick<Store, 'db'>, changes: readonly ResealedRow[]): Promise<void> {
  const column = (read: (row: ResealedRow) => string | Uint8Array) =>
    sql.param(changes.map((row) => toDriver(read(row))));
  await withStoreErrors(WHERE, () =>
    db.execute(sql`
      update ${wallets} set sealed = change.sealed
      from unnest(
        ${column(({ walletId }) => walletId)}::text[],
        ${column(({ was }) => was)}::bytea[],
        ${column(({ sealed }) => sealed)}::bytea[]
      ) as change (id, was, sealed)
      where ${wallets.id} = change.id and ${wallets.sealed} = change.was`),
  );
}

function toDriver(value: string | Uint8Array): string | Buffer {
  return typeof value === 'string' ? value : Buffer.from(value);
}

async function endOf(settled: Promise<void>, stop: AbortSignal, settleMs: number): Promise<void> {
  stop.throwIfAborted();
  const given = Promise.withResolvers<never>();
  const late = unfinished('earlier requests have not finished');
  const timer = setTimeout(() => given.reject(late), settleMs);
  const leave = (): void => given.reject(stop.reason);
  stop.addEventListener('abort', leave);
  try {
    await Promise.race([settled, given.promise]);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', leave);
  }
}

function unfinished(reason: string): ServiceError {
  return serviceError('rotationUnfinished', { reason });
}
