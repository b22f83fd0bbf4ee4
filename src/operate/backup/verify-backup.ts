import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { BackupLine } from './backup-line.ts';
import { factsOf, verifyRestored } from './restore-backup.ts';
import { restoreInto } from './restore-into.ts';
import type { CopyCheck } from './verify-copy.ts';

export type VerifyOptions = {
  readonly file: string;
  readonly lines: AsyncIterable<BackupLine>;
  /** The parent of the scratch directory, which grows to the size of the store; by default the system's temporary directory. */
  readonly scratch: string | undefined;
  readonly log: Logger;
};

/** The result of `keyslot backup verify --json`. */
export type BackupVerdict = {
  readonly is_sound: boolean;
  readonly made_at: string;
  readonly version: string;
  /** The kind of store in the backup. */
  readonly store: 'pglite' | 'postgres';
  readonly rows: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly files: Readonly<Record<string, number>>;
  readonly checks: readonly CopyCheck[];
};

/** Files that a verification does not need, and never writes to the disk. */
const SECRETS: ReadonlySet<string> = new Set(['signer/master.key', 'installation.key', 'dev.json']);

/**
 * Restores a backup into an embedded store in a scratch directory, compares the counts, verifies the audit log, the books and the records
 * of destroyed keys, and removes it. Writes no secret key.
 *
 * @throws ServiceError `copyRefused` if the file cannot be read to its end.
 */
export async function verifyBackup({ file, lines, scratch, log }: VerifyOptions): Promise<BackupVerdict> {
  const directory = await mkdtemp(join(scratch ?? tmpdir(), 'keyslot-verify-'));
  try {
    const place = { dataDir: directory };
    const isWanted = (name: string): boolean => !SECRETS.has(name);
    const restored = await restoreInto(
      lines,
      { directory, store: place, isWanted, where: `backup ${file}` },
      log,
    );
    const checks = await verifyRestored(place, log);
    return {
      is_sound: checks.every(({ ok }) => ok),
      ...factsOf(restored),
      store: restored.store,
      tables: restored.counts.tables,
      files: restored.counts.files,
      checks,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
