import { hash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { serviceError } from '../core/service-error.ts';
import { processStartedAt } from './process-started-at.ts';

/** A lock that this process holds. `text` is unique, so that no other lock is ever mistaken for it. */
export type Lock = { readonly path: string; readonly text: string };

type Holder = { readonly pid: number; readonly startedAt: string; readonly host: string };

const ATTEMPTS = 5;

/** True if the file of a lock from another host shows that its process has ended. */
export type IsAbandoned = (path: string) => Promise<boolean>;

/**
 * Takes `<dataDir>/lock` for this process. A lock whose process is gone, or whose pid now belongs to a later process, is taken over. The
 * pid of another host (or container) proves nothing, so such a lock is held unless it is abandoned (default: it never is).
 * @throws ServiceError dataDirectoryLocked naming the holder.
 */
export async function acquireLock(
  dataDir: string,
  isAbandoned: IsAbandoned = async () => false,
): Promise<Lock> {
  const own: Holder = { pid: process.pid, startedAt: processStartedAt(process.pid) ?? '', host: hostname() };
  const text = `${JSON.stringify({ ...own, id: randomUUID() })}\n`;
  const lock = { path: join(dataDir, 'lock'), text };
  await takeFile(lock, dataDir, isAbandoned);
  return lock;
}

/** Releases the lock. A lock that no longer belongs to this process is left alone. */
export async function releaseLock({ path, text }: Lock): Promise<void> {
  if ((await readFile(path, 'utf8').catch(ignoreMissing)) === text) await rm(path);
}

/**
 * A stale file is replaced by the process that holds its succession file, which is named after the content and taken in the same way. So at
 * most one process replaces it, and only if it did not change since it was found stale.
 */
async function takeFile(file: Lock, dataDir: string, isAbandoned: IsAbandoned): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await linkLockFile(file)) return;
    const found = await readFile(file.path, 'utf8').catch(ignoreMissing);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder !== undefined && (await isHeld(holder, () => isAbandoned(file.path))))
      throw lockedBy(dataDir, holder);
    const succession = { path: `${file.path}.${hash('sha256', found).slice(0, 16)}`, text: file.text };
    await takeFile(succession, dataDir, isAbandoned);
    if ((await readFile(file.path, 'utf8').catch(ignoreMissing)) === found)
      return await rename(succession.path, file.path);
    await releaseLock(succession);
  }
  throw serviceError('dataDirectoryLocked', {
    path: dataDir,
    holder: 'several processes that are starting at the same time',
  });
}

/** Written to a temporary file and linked: the file appears with its content, and an existing one stays. */
async function linkLockFile({ path, text }: Lock): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function isHeld(holder: Holder, isAbandoned: () => Promise<boolean>): Promise<boolean> {
  if (holder.host !== hostname()) return !(await isAbandoned());
  return processStartedAt(holder.pid) === holder.startedAt;
}

function lockedBy(dataDir: string, { pid, host }: Holder): Error {
  if (pid === process.pid && host === hostname()) {
    return serviceError('dataDirectoryLocked', { path: dataDir, holder: `this process (${pid})` });
  }
  const holder =
    host === hostname()
      ? `process ${pid}`
      : `process ${pid} on host ${host} (if it is gone, delete ${join(dataDir, 'lock')})`;
  return serviceError('dataDirectoryLocked', { path: dataDir, holder });
}

/** Undefined for any text that this version does not write: a lock without an identifiable holder is stale. */
function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startedAt, host } = JSON.parse(text) as Partial<Holder>;
    const valid = Number.isSafeInteger(pid) && typeof startedAt === 'string' && typeof host === 'string';
    return valid ? ({ pid, startedAt, host } as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
