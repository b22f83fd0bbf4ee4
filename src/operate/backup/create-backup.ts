import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { serviceError } from '../../core/service-error.ts';
import { syncDirectory } from '../../signer/files/write-durably.ts';
import type { SystemUser } from '../../core/process/system-user.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import { encryptTo } from './age-file.ts';
import { SIGNER_FILES } from './backup-files.ts';
import { type BackupCounts, LineCounter, printLine } from './backup-line.ts';
import { type DumpChild, startDump } from './dump-child.ts';
import { type DumpJob, fileLines, type FileSource } from './dump-lines.ts';

export type BackupOptions = {
  /** The new file. */
  readonly file: string;
  /** Public age keys. */
  readonly recipients: readonly string[];
  readonly job: DumpJob;
  /** True if the master key is one of the signer's own files. */
  readonly hasOwnMasterKey: boolean;
  /** The users of gateway and signer, if they have their own: then root reads for both. */
  readonly users: { readonly gateway: SystemUser; readonly signer: SystemUser } | undefined;
};

/** The result of `keyslot backup create --json`. */
export type BackupResult = {
  readonly file: string;
  readonly bytes: number;
  readonly made_at: string;
  readonly rows: number;
  readonly tables: number;
  /** Names of the files in it. */
  readonly files: readonly string[];
  readonly recipients: readonly string[];
};

/**
 * Writes an installation into one file, encrypted to the recipients, while its server runs: audit heads, then the store as of one
 * moment, then the signer's files. The file gets its name when it is complete and on disk.
 *
 * If the signer has its own user, its files never reach the process of the gateway's user.
 *
 * @throws ServiceError `copyRefused` if the file exists or another backup writes it, the data directory of a PostgreSQL installation
 *   lacks a file, something cannot be read, or the master key was rotated meanwhile; `invalidCommand` for an invalid recipient; those
 *   of the store.
 */
export async function createBackup({
  file,
  recipients,
  job,
  users,
  hasOwnMasterKey,
}: BackupOptions): Promise<BackupResult> {
  const path = resolve(file);
  const draft = `${path}.partial`;
  assertNew(path);
  await assertInstallation(job, hasOwnMasterKey);
  const master = await readMaster(job, users);
  // Before anything is read: an unwritable destination fails at once.
  await using opened = new AsyncDisposableStack();
  const output = await openDraft(draft);
  opened.defer(() => output.close());
  opened.defer(async () => ((await isAt(output, draft)) ? rm(draft) : undefined));
  const child = await startDump(job, users?.gateway);
  try {
    const counts: BackupCounts[] = [];
    const encrypted = await encryptTo(recipients, allBytes({ job, users, child, master, counts }));
    const bytes = await writeAll(output, encrypted);
    assertNew(path);
    if (!(await isAt(output, draft))) throw refuse(path, 'another backup has replaced it meanwhile');
    await rename(draft, path);
    await syncDirectory(dirname(path));
    const made_at = new Date(job.atMs).toISOString();
    await child.keep({ made_at, file: path, bytes });
    const { tables, files } = counts[0] ?? { tables: {}, files: {} };
    return {
      file: path,
      bytes,
      made_at,
      tables: Object.keys(tables).length,
      rows: Object.values(tables).reduce((sum, count) => sum + count, 0),
      files: Object.keys(files),
      recipients,
    };
  } finally {
    child.close();
  }
}

type Sources = Pick<BackupOptions, 'job' | 'users'> & {
  readonly child: DumpChild;
  readonly master: string;
  /** Receives the counts of what was written. */
  readonly counts: BackupCounts[];
};

async function* allBytes({ job, users, child, master, counts }: Sources): AsyncGenerator<Buffer> {
  yield* child.bytes();
  const counter = new LineCounter();
  for (const source of signerSources(job, users))
    for await (const line of fileLines(source)) {
      counter.add(line);
      yield Buffer.from(printLine(line));
    }
  // A master key that was replaced meanwhile may not open the keys of the stored rows.
  if ((await readMaster(job, users)) !== master)
    throw refuse(signerDirectory(job), 'the master key was rotated during the backup: run it again');
  const { tables, files } = child.counts();
  const all = { tables, files: { ...files, ...counter.counts().files } };
  counts.push(all);
  yield Buffer.from(printLine({ kind: 'end', ...all }));
}

const signerDirectory = ({ store }: DumpJob): string => join(store.dataDir, 'signer');

function signerSources(job: DumpJob, users: BackupOptions['users']): readonly FileSource[] {
  return SIGNER_FILES.map((name) => ({
    path: join(signerDirectory(job), name),
    name: `signer/${name}`,
    uid: users?.signer.uid,
  }));
}

/** The digest of the master key file; of nothing if it is missing. */
async function readMaster(job: DumpJob, users: BackupOptions['users']): Promise<string> {
  const hash = createHash('sha256');
  for (const source of signerSources(job, users).filter(({ name }) => name.endsWith('master.key')))
    for await (const { data } of fileLines(source)) hash.update(data);
  return hash.digest('hex');
}

/** With PostgreSQL, a wrong data directory would give a backup without the keys of its rows. */
async function assertInstallation(job: DumpJob, hasOwnMasterKey: boolean): Promise<void> {
  const { dataDir, databaseUrl } = job.store;
  if (databaseUrl === undefined) return;
  const needed = [
    ...(job.hasKeyApart ? [] : ['installation.key']),
    ...(hasOwnMasterKey ? ['signer/master.key'] : []),
    ...['signer/audit.key', 'signer/tombstones'],
  ];
  for (const name of needed) {
    const isThere = await lstat(join(dataDir, name)).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
    );
    if (!isThere) throw refuse(dataDir, `it has no ${name}: is it the data directory of the server?`);
  }
}

/** True while a path names the open file. */
async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [own, found] = await Promise.all([
    file.stat({ bigint: true }),
    lstat(path, { bigint: true }).catch(() => undefined),
  ]);
  return found !== undefined && own.ino === found.ino && own.dev === found.dev;
}

/** Opens a new file for its owner only. @throws ServiceError `copyRefused` with the reason why it cannot be written. */
async function openDraft(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', 0o600).catch((error: Error) => {
    throw refuse(path, error.message, error);
  });
}

/** Writes a file, and syncs it to disk. @returns its size. */
async function writeAll(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let sizeBytes = 0;
  for await (const part of bytes) {
    await file.writeFile(part);
    sizeBytes += part.length;
  }
  await file.sync();
  return sizeBytes;
}

function assertNew(path: string): void {
  if (existsSync(path))
    throw refuse(path, 'the file exists; choose another name, backups are never overwritten');
}

function refuse(where: string, reason: string, cause?: unknown): Error {
  return serviceError('copyRefused', { where, reason }, cause);
}
