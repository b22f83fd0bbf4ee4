import { open, readFile } from 'node:fs/promises';
import { decodeRecord, isLongEnough } from './block-record.ts';
import { Segment } from './segment.ts';
import { isSame } from './segment-runs.ts';
import {
  decodeSummary,
  extend,
  type SegmentIndex,
  SUMMARY_BYTES,
  type SegmentSummary,
} from './segment-index.ts';

/** Called for a file with a record that is not what was written. One that a kill has cut short is none. */
export type OnDamage = (path: string, reason: string) => void;

/**
 * Opens a file of blocks: one that is sealed by its summary alone, another one by all its records, up to the first that is not whole. That file
 * is at most as large as a segment and one block.
 *
 * @returns undefined if there is no whole record. @throws Error if it cannot be read.
 */
export async function loadSegment(path: string, onDamage: OnDamage): Promise<Segment | undefined> {
  const found = decodeSummary(await readTail(path));
  if (found !== undefined) {
    const { indexChecksum, ...summary } = found;
    return new Segment({ path, summary, indexChecksum });
  }
  return scanSegment(path, onDamage);
}

/** Opens a file of blocks by all its records, up to the first that is not whole, whatever its end says. @throws as `loadSegment`. */
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
      if (isLongEnough(bytes, at)) onDamage(path, `the record at ${at} is not what was written`);
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
