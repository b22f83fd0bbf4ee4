import { setTimeout as pause } from 'node:timers/promises';
import type { Reconciliation, WalletDeps } from '../wallet-deps.ts';
import { asc, gt, sql } from '../../store/drizzle.ts';
import { appendAudit } from '../../account/audit/append-audit.ts';
import { toServiceError } from '../../core/service-error.ts';
import { wallets, derivationTombstones } from '../../store/wallet-tables.ts';
import { read, transact } from '../transact.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { createStatement, type Executes } from '../../store/statement.ts';
import type { WalletRow } from '../wallet-row.ts';

type ReconciliationDeps = Pick<WalletDeps, 'store' | 'signer' | 'clock' | 'ownerId' | 'log'>;

/** Rows that are read at a time. */
const PAGE = 4_096;
/** Maximum number of rows deleted in one transaction. */
const GROUP = 128;
const PAUSE_MS = 10_000;

/** Returns a reconciliation that has not started. @param pauseMs pause after a failure. */
export function createReconciliation(pauseMs = PAUSE_MS): Reconciliation {
  const stopping = new AbortController();
  let isDone = false;
  let running: Promise<void> = Promise.resolve();
  return {
    isDone: () => isDone,
    start(deps) {
      running = reconcile(deps, stopping.signal, pauseMs).then((result) => {
        isDone = result;
      });
      return running;
    },
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Returns the rows whose wallets are destroyed. The signer is asked only while the reconciliation is running.
 *
 * @throws ServiceError `signerUnavailable`.
 */
export async function destroyedOf<R extends Origin>(
  { reconciliation, signer }: Pick<WalletDeps, 'reconciliation' | 'signer'>,
  rows: readonly R[],
): Promise<readonly R[]> {
  return reconciliation.isDone() ? [] : findDestroyed(signer, rows);
}

/** Returns the rows whose wallets the signer has destroyed. @throws ServiceError `signerUnavailable`. */
export async function findDestroyed<R extends Origin>(
  signer: Pick<ReconciliationDeps['signer'], 'findDestroyed'>,
  rows: readonly R[],
): Promise<readonly R[]> {
  const origins = rows.map((row) => ({ walletId: row.id, derivedFrom: derivedFrom(row) }));
  const answers = await signer.findDestroyed(origins);
  return rows.filter((_row, at) => answers[at] === true);
}

/** @returns true if it reached the end. */
async function reconcile(deps: ReconciliationDeps, stop: AbortSignal, pauseMs: number): Promise<boolean> {
  const { signer, log } = deps;
  let after = '';
  while (!stop.aborted) {
    try {
      const page = await readPage(deps, after);
      const last = page.at(-1);
      if (last === undefined) return true;
      await forgetAll(deps, await findDestroyed(signer, page), stop);
      after = last.id;
    } catch (error) {
      const reason = toServiceError(error).message;
      log.error({ reason }, 'cannot search for rows of destroyed wallets; retrying');
      await pause(pauseMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
    }
  }
  return false;
}

function readPage(deps: ReconciliationDeps, after: string): Promise<readonly Origin[]> {
  const { id, accountId, masterId, x, y } = wallets;
  return read(deps, (db) =>
    db
      .select({ id, accountId, masterId, x, y })
      .from(wallets)
      .where(gt(id, after))
      .orderBy(asc(id))
      .limit(PAGE),
  );
}

async function forgetAll(
  deps: ReconciliationDeps,
  destroyed: readonly Origin[],
  stop: AbortSignal,
): Promise<void> {
  for (const [accountId, rows] of Map.groupBy(destroyed, (row) => row.accountId)) {
    for (let at = 0; at < rows.length && !stop.aborted; at += GROUP) {
      await forget(deps, accountId, rows.slice(at, at + GROUP));
    }
  }
}

async function forget(deps: ReconciliationDeps, accountId: string, rows: readonly Origin[]): Promise<void> {
  const { signer, clock, ownerId, log } = deps;
  // A crash may have left an object in a token, or a child that has no row.
  for (const row of rows) {
    await signer.destroy({ walletId: row.id, accountId, derivedFrom: derivedFrom(row) });
  }
  const gone = await transact(deps, async (tx) => {
    const nowMs = clock.nowMs();
    const ids = await deleteWallets(tx, accountId, rows, new Date(nowMs));
    const fact = { action: 'destroy', outcome: 'ok', requestId: `start_${ownerId}` };
    const facts = [...ids].map((walletId) => ({ ...fact, walletId }));
    await appendAudit(tx, accountId, facts, nowMs);
    return ids.size;
  });
  log.warn({ accountId, wallets: gone }, 'deleted rows of wallets that were already destroyed');
}

/** The origin of a row's key. */
type Origin = Pick<WalletRow, 'id' | 'accountId' | 'masterId' | 'x' | 'y'>;

type Ids = { readonly ids: readonly string[]; readonly accountId: string };

const deleteOwn = createStatement<Ids, { id: string }>(
  (param) =>
    sql`delete from wallets where id = any(${param('ids')}::text[]) and account_id = ${param('accountId')} returning id`,
);

/**
 * Deletes the rows of an account's wallets, which the signer has destroyed before, and keeps a tombstone for each child: it is never
 * derived again.
 *
 * @returns the ids of the deleted ones.
 */
export async function deleteWallets(
  tx: StoreTransaction,
  accountId: string,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<ReadonlySet<string>> {
  const { rows: gone } = await deleteOwn(tx, { ids: idsOf(destroyed), accountId });
  await insertTombstones(tx, destroyed, destroyedAt);
  return new Set(gone.map(({ id }) => id));
}

async function insertTombstones(
  db: Executes,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<void> {
  const { masterId, x, y } = derivationTombstones;
  const rows = destroyed.flatMap((row) => derivationOf(row) ?? []).map((row) => ({ ...row, destroyedAt }));
  await insertNewRows(db, derivationTombstones, rows, { target: [masterId, x, y], key: masterId });
}

function idsOf(origins: readonly Origin[]): readonly string[] {
  return origins.map(({ id }) => id);
}

/** Returns the master and the index of a child; undefined for every other wallet. */
function derivationOf({ masterId, x, y }: Origin) {
  return masterId === null || x === null || y === null ? undefined : { masterId, x, y };
}

/** As `derivationOf`, in the signer's terms. */
export function derivedFrom(origin: Origin) {
  const found = derivationOf(origin);
  return found && { masterWalletId: found.masterId, x: found.x, y: found.y };
}
