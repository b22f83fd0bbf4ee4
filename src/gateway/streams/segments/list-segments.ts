import { readdir, rm, stat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../../core/rpc/semaphore.ts';
import { SEGMENT_NAME, Segment } from './segment.ts';
import { isSame, type SegmentList } from './segment-runs.ts';
import { decodeRecord, isLongEnough } from './block-record.ts';
import {
  decodeSummary,
  extend,
  type SegmentIndex,
  SUMMARY_BYTES,
  type SegmentSummary,
} from './segment-index.ts';

export type ListOptions = {
  readonly directory: string;
  /** True: no other process appends to these files. */
  readonly isWriter: boolean;
  /** Called for damaged files and for files that cannot be read. */
  readonly onDamage: OnDamage;
};

export type Listing = {
  readonly segments: Segment[];
  /** Known segments that are no longer listed: they were deleted, or another process has appended to them. */
  readonly gone: SegmentList;
  /** True if known blocks have disappeared. */
  readonly hasLost: boolean;
};

/** Files that are read at the same time. */
const PARALLEL_LOADS = 16;

/**
 * Lists the segments of a directory: known ones that still exist, and new files. A file that another process appends to is read again
 * when its size has changed. @throws Error if the directory cannot be read.
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

/** True if a segment that was read again still has the last known block at its position, and so all blocks before it. */
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

/** True for the error of a missing file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Called for a file with a damaged record. A record that a kill has cut short does not count as damaged. */
type OnDamage = (path: string, reason: string) => void;

/**
 * Opens a segment: a sealed one by its summary alone, an open one by its records, up to the first incomplete one. An open file is at
 * most as large as a segment and one block.
 *
 * @returns undefined if no record is complete. @throws Error if the file cannot be read.
 */
async function loadSegment(path: string, onDamage: OnDamage): Promise<Segment | undefined> {
  const found = decodeSummary(await readTail(path));
  if (found !== undefined) {
    const { indexChecksum, ...summary } = found;
    return new Segment({ path, summary, indexChecksum });
  }
  return scanSegment(path, onDamage);
}

/** Opens a segment by its records, up to the first incomplete one, ignoring its summary. @throws as `loadSegment`. */
export async function scanSegment(path: string, onDamage: OnDamage): Promise<Segment | undefined> {
  return scan(path, await readFile(path), onDamage);
}

async function readTail(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, SUMMARY_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function scan(path: string, bytes: Buffer, onDamage: OnDamage): Segment | undefined {
  const index: SegmentIndex = { slots: [], places: [] };
  let summary: SegmentSummary | undefined;
  for (let at = 0; at < bytes.length; ) {
    const found = decodeRecord(bytes, at);
    if (found === undefined) {
      if (isLongEnough(bytes, at)) onDamage(path, `the record at ${at} is damaged`);
      break;
    }
    const { record, endAt } = found;
    summary ??= { base: record.parent, end: record.parent, finalizedSlot: 0n, count: 0, endAt: 0 };
    if (!isSame(summary.end, record.parent)) break;
    summary = extend(summary, record, endAt);
    index.slots.push(Number(record.link.slot));
    index.places.push(at);
    at = endAt;
  }
  return summary && new Segment({ path, summary, index });
}
