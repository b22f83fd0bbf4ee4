import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../rpc/semaphore.ts';
import { loadSegment, type OnDamage } from './load-segment.ts';
import { SEGMENT_NAME, type Segment } from './segment.ts';
import { isSame, type SegmentList } from './segment-runs.ts';

export type ListOptions = {
  readonly directory: string;
  /** True: no other process appends to these files. */
  readonly isWriter: boolean;
  /** Also called for a file that cannot be read. */
  readonly onDamage: OnDamage;
};

export type Listing = {
  readonly segments: Segment[];
  /** Those that were known and are not listed any more, as they are deleted or another process has written on. */
  readonly gone: SegmentList;
  /** True if blocks that were known are not there any more. */
  readonly hasLost: boolean;
};

/** Files that are read at the same time. */
const PARALLEL_LOADS = 16;

/**
 * Lists the segments of a directory: those that are known and still there, and files that are new. What another process appends to is read
 * again when its size has changed. @throws Error if the directory cannot be read.
 */
export async function listSegments(options: ListOptions, known: SegmentList): Promise<Listing> {
  const byPath = new Map(known.map((segment) => [segment.path, segment]));
  const loads = new Semaphore(PARALLEL_LOADS);
  const paths = await pathsIn(options.directory);
  const listed = await Promise.all(
    paths.map((path) => loads.withPermit(() => listOne(options, path, byPath.get(path)))),
  );
  const segments = listed.flatMap((segment) => segment ?? []).sort(byBase);
  const current = new Set(segments);
  const gone = known.filter((segment) => !current.has(segment));
  const reread = new Map(segments.map((segment) => [segment.path, segment]));
  const goesOn = await Promise.all(gone.map((segment) => hasAllOf(reread.get(segment.path), segment)));
  return { segments, gone, hasLost: goesOn.includes(false) };
}

async function listOne({ isWriter, onDamage }: ListOptions, path: string, known: Segment | undefined) {
  try {
    const isCurrent =
      known !== undefined && (isWriter || known.isSealed || (await stat(path)).size === known.sizeBytes);
    if (isCurrent) return known;
    const listed = await loadSegment(path, onDamage);
    if (listed === undefined && isWriter) await rm(path, { force: true });
    return listed;
  } catch (error) {
    if (!isMissing(error)) onDamage(path, String(error));
    return undefined;
  }
}

/** True if a segment that was read again still has the last block that was known, at its position, and so all before it. */
async function hasAllOf(again: Segment | undefined, { summary }: Segment): Promise<boolean> {
  if (again === undefined || again.summary.count < summary.count) return false;
  try {
    const [last] = await again.readRecords(await again.readIndex(), summary.count - 1);
    return last !== undefined && isSame(last.link, summary.end);
  } catch {
    return false;
  }
}

async function pathsIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries.filter((name) => SEGMENT_NAME.test(name)).map((name) => join(directory, name));
}

function byBase(one: Segment, other: Segment): number {
  return Number(one.summary.base.slot - other.summary.base.slot);
}

/** True for an error that says that a file is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
