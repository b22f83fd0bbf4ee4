import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './list-segments.ts';
import { SEGMENT_NAME } from './segment.ts';

export type RoomOptions = {
  /** The directory of all networks and ledgers. */
  readonly root: string;
  /** Most bytes of all segments. */
  readonly maxBytes: number;
  /** Returns the free bytes on the disk of a directory. Default: as the operating system reports them. */
  readonly readFreeBytes?: ((directory: string) => Promise<number>) | undefined;
};

/** Thrown when the disk has no room for another segment. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** Segments take at most this share of what would be free without them. */
const DISK_SHARE = 0.5;
/** More files, however small, take too long to list. */
const MAX_FILES = 4_096;

/**
 * Deletes segments of any network in the order of `listFiles` until there is room for `bytes`: within the bound, and within half of the
 * space that the disk would have free without segments.
 *
 * @throws NoRoom if deleting all of them would not be enough: nothing is deleted then.
 */
export async function makeRoom({ root, maxBytes, readFreeBytes = freeBytesOf }: RoomOptions, bytes: number) {
  const files = await listFiles(root);
  let total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const most = mostBytes(maxBytes, total, await readFreeBytes(root));
  if (bytes > most) throw new NoRoom(`not enough disk space for segments in ${root}`);
  for (const [at, { path, sizeBytes }] of files.entries()) {
    if (total + bytes <= most && files.length - at < MAX_FILES) return;
    await rm(path, { force: true });
    total -= sizeBytes;
  }
}

/** Writes, and if the disk is full, makes room and writes again. @throws as `write` and `makeRoom`. */
export async function withRoom(write: () => Promise<void>, makeRoom: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    await makeRoom();
    await write();
  }
}

/** Returns the bytes that segments may take, given that they take `total` and the disk has `free` left. */
export function mostBytes(maxBytes: number, total: number, free: number): number {
  return Math.min(maxBytes, Math.floor((total + free) * DISK_SHARE));
}

/** A file of blocks. */
export type SegmentFile = { readonly path: string; readonly sizeBytes: number };

/**
 * Lists the files of all networks and ledgers in the order of deletion: the files of a ledger by their first slot, whenever they were
 * written, so that deletion leaves no hole; of several ledgers, the one with the oldest file first.
 */
export async function listFiles(root: string): Promise<readonly SegmentFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files: WrittenFile[] = [];
  for (const { name, parentPath } of entries) {
    if (!SEGMENT_NAME.test(name)) continue;
    const path = join(parentPath, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined)
      files.push({ path, folder: parentPath, sizeBytes: found.size, writtenMs: found.mtimeMs });
  }
  return [...Map.groupBy(files, ({ folder }) => folder).values()]
    .flatMap(inOrder)
    .sort((one, other) => one.writtenMs - other.writtenMs);
}

type WrittenFile = SegmentFile & { readonly folder: string; readonly writtenMs: number };

/** Returns the files of a ledger by slot, each dated no later than those after it. */
function inOrder(files: readonly WrittenFile[]): readonly WrittenFile[] {
  let writtenMs = Number.POSITIVE_INFINITY;
  return files
    .toSorted((one, other) => (one.path < other.path ? 1 : -1))
    .map((file) => {
      writtenMs = Math.min(writtenMs, file.writtenMs);
      return { ...file, writtenMs };
    })
    .reverse();
}

/** Returns the free bytes for users other than root. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
