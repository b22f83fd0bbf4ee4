import type { Logger } from 'pino';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { type CopyTarget, openCopyTarget } from '../../store/copy/copy-target.ts';
import type { StoreOptions } from '../../store/open-store.ts';
import { appendPart } from './backup-files.ts';
import {
  type BackupCounts,
  type BackupHead,
  type BackupLine,
  LineCounter,
  type RowsLine,
  type StoreLine,
} from './backup-line.ts';

export type RestoreTarget = {
  /** An empty directory for the files. */
  readonly directory: string;
  /** A store that no other process uses; undefined: only the files are restored. */
  readonly store: StoreOptions | undefined;
  /** False for files that are left out. */
  readonly isWanted: (name: string) => boolean;
  /** The name of the backup in messages. */
  readonly where: string;
};

/** A backup as it was restored. */
export type Restored = {
  readonly head: BackupHead;
  readonly store: StoreLine['store'];
  /** The migrations of its tables, by their instants. */
  readonly migrations: StoreLine['migrations'];
  readonly counts: BackupCounts;
};

/**
 * Writes a backup into a directory and a store, and then compares the written rows with those of the backup.
 *
 * @throws ServiceError `copyRefused`, naming the backup; `storeUnavailable`. The caller removes what was written until then.
 */
export async function restoreInto(
  lines: AsyncIterable<BackupLine>,
  target: RestoreTarget,
  log: Logger,
): Promise<Restored> {
  const { directory, where } = target;
  const counter = new LineCounter();
  let head: BackupHead | undefined;
  let store: StoreLine | undefined;
  let writer: CopyTarget | undefined;
  try {
    for await (const line of lines) {
      counter.add(line);
      if (line.kind === 'backup') head = line;
      else if (line.kind === 'file') {
        if (target.isWanted(line.name)) await appendPart(directory, line, where);
      } else if (line.kind === 'store') {
        if (store !== undefined) throw refuse(where, 'it contains two stores');
        store = line;
        if (target.store === undefined) continue;
        writer = await openCopyTarget(target.store, { migrations: line.migrations, where }, log);
      } else if (line.kind === 'rows') {
        if (store === undefined) throw refuse(where, 'it has rows before its store');
        if (writer !== undefined) await writeRows(writer, line, where);
      }
    }
    if (head === undefined || store === undefined) throw refuse(where, 'it contains no store');
    const counts = counter.counts();
    if (writer !== undefined) assertSameCounts(counts.tables, await writer.finish(), where);
    return { head, store: store.store, migrations: store.migrations, counts };
  } finally {
    await writer?.close();
  }
}

/** A row that the tables refuse is the backup's fault, not the store's. */
async function writeRows(writer: CopyTarget, line: RowsLine, where: string): Promise<void> {
  try {
    await writer.write(line);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'storeRefused') throw error;
    throw refuse(where, `the store refused a row of ${line.table}: ${String(error.context.reason)}`);
  }
}

/** @throws ServiceError `copyRefused` if the number of rows of a table differs from what was read. */
export function assertSameCounts(
  read: Readonly<Record<string, number>>,
  written: Readonly<Record<string, number>>,
  where: string,
): void {
  for (const name of new Set([...Object.keys(read), ...Object.keys(written)]))
    if (read[name] !== written[name])
      throw refuse(
        where,
        `${read[name] ?? 'no'} rows of ${name} were read, and ${written[name] ?? 'none'} are in the copy`,
      );
}

function refuse(where: string, reason: string): Error {
  return serviceError('copyRefused', { where, reason });
}
