import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { isPackaged } from '../../core/program.ts';

const ROOT = new URL('../../../', import.meta.url);
const MIGRATIONS = new URL('../migrations/', import.meta.url);
const GROUP_OR_OTHERS_WRITE = 0o022;

/**
 * Returns the path of an empty store with all tables, for this version of PGlite and these migrations: a directory that `make` prepares,
 * or in a package a file made from it by `packEmptyStore`. Creating one takes seconds, and memory that the process never returns. It
 * contains nothing of an installation.
 */
export function emptyStorePath(): string {
  const path = isPackaged ? packedStoreName() : `node_modules/.cache/keyslot-${packedStoreName()}`;
  return fileURLToPath(new URL(path, ROOT));
}

/**
 * Copies the prepared empty store into an existing empty directory, for its owner alone and synced to disk.
 *
 * @returns false if none is prepared, or if another user could have changed it: the directory stays empty.
 */
export async function copyEmptyStore(directory: string, source: string = emptyStorePath()): Promise<boolean> {
  if (!isTrusted(source)) return false;
  if (lstatSync(source).isDirectory()) cpSync(source, directory, { recursive: true });
  else unpack(source, directory);
  await settle(directory);
  return true;
}

/** A path in the directory of a store, and the length of its file in a packed one; null: it is a directory. */
type PackedEntry = readonly [path: string, length: number | null];

/**
 * Writes the files of a store as one, a tenth as large: the length of a list of `PackedEntry`, the list, and each file of it compressed by
 * itself, so that they are unpacked one at a time.
 *
 * @returns the path of the file in `folder`.
 */
export function packEmptyStore(directory: string, folder: string): string {
  const packed = readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = entry.isFile() ? zstdCompressSync(readFileSync(path), COMPRESSION) : undefined;
      return { path: relative(directory, path), bytes };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const list = packed.map(({ path, bytes }): PackedEntry => [path, bytes?.length ?? null]);
  const head = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const file = join(folder, packedStoreName());
  writeFileSync(file, Buffer.concat([length, head, ...packed.flatMap(({ bytes }) => bytes ?? [])]));
  return file;
}

/** Higher levels take many times as long for a twentieth. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 6 } };

function unpack(file: string, directory: string): void {
  const bytes = readFileSync(file);
  let at = 4 + bytes.readUInt32LE(0);
  const entries = JSON.parse(bytes.toString('utf8', 4, at)) as readonly PackedEntry[];
  for (const [path, length] of entries) {
    const target = join(directory, path);
    if (length === null) {
      mkdirSync(target);
    } else {
      writeFileSync(target, zstdDecompressSync(bytes.subarray(at, at + length)));
      at += length;
    }
  }
}

/** True if only root and the user of this process can have written to it. */
function isTrusted(path: string): boolean {
  if (!existsSync(path)) return false;
  const { uid, mode } = lstatSync(path);
  const isOwn = process.geteuid === undefined || uid === 0 || uid === process.geteuid();
  return isOwn && (mode & GROUP_OR_OTHERS_WRITE) === 0;
}

/** More at once are no faster: Node has four threads for files. */
const SYNCED_AT_ONCE = 8;

/**
 * Removes other users' access to a directory and everything below it, and syncs it to disk: several files at once, which the file system
 * then writes together, since each by itself takes a dozen times as long.
 */
async function settle(directory: string): Promise<void> {
  const below = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    return { path: join(entry.parentPath, entry.name), mode: entry.isDirectory() ? 0o700 : 0o600 };
  });
  const left = [...below, { path: directory, mode: 0o700 }].values();
  const settleNext = async (): Promise<void> => {
    for (const { path, mode } of left) {
      await using file = await open(path, 'r');
      await file.chmod(mode);
      await file.sync();
    }
  };
  await Promise.all(Array.from({ length: SYNCED_AT_ONCE }, settleNext));
}

function packedStoreName(): string {
  const hash = createHash('sha256');
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  hash.update(dependencies['@electric-sql/pglite'] ?? '');
  for (const name of readdirSync(MIGRATIONS).sort())
    if (name.endsWith('.sql')) hash.update(readFileSync(new URL(name, MIGRATIONS)));
  return `empty-store-${hash.digest('hex').slice(0, 16)}`;
}
