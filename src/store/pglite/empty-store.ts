import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);
const MIGRATIONS = new URL('../migrations/', import.meta.url);
const GROUP_OR_OTHERS_WRITE = 0o022;

/**
 * Returns the directory of an empty store with all tables, for this version of PGlite and these migrations. `make` prepares it, since
 * creating one takes seconds, and memory that the process never returns. It contains nothing of an installation.
 */
export function emptyStorePath(): string {
  return fileURLToPath(new URL(`node_modules/.cache/keyslot-empty-store-${fingerprint()}`, ROOT));
}

/**
 * Copies the prepared empty store into an existing empty directory, for its owner alone and synced to disk.
 *
 * @returns false if none is prepared, or if another user could have changed it: the directory stays empty.
 */
export function copyEmptyStore(directory: string, source: string = emptyStorePath()): boolean {
  if (!isTrusted(source)) return false;
  cpSync(source, directory, { recursive: true });
  settle(directory);
  return true;
}

/** True if only root and the user of this process can have written to it. */
function isTrusted(path: string): boolean {
  if (!existsSync(path)) return false;
  const { uid, mode } = lstatSync(path);
  const isOwn = process.geteuid === undefined || uid === 0 || uid === process.geteuid();
  return isOwn && (mode & GROUP_OR_OTHERS_WRITE) === 0;
}

/** Removes other users' access to everything below a directory, and syncs it to disk. */
function settle(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    const isDirectory = lstatSync(path).isDirectory();
    fchmodSync(descriptor, isDirectory ? 0o700 : 0o600);
    if (isDirectory) for (const name of readdirSync(path)) settle(join(path, name));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  hash.update(dependencies['@electric-sql/pglite'] ?? '');
  for (const name of readdirSync(MIGRATIONS).sort())
    if (name.endsWith('.sql')) hash.update(readFileSync(new URL(name, MIGRATIONS)));
  return hash.digest('hex').slice(0, 16);
}
