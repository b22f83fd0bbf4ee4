import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import type { BranchState } from './branch-state.ts';
import { baseBytes } from './chain-base.ts';
import { frame } from './frames.ts';
import type { SegmentLimits } from './ledger-journal.ts';
import { segmentPath } from './segments.ts';
import { slotBytes } from './slot-record.ts';
import { snapshotParts, snapshotPath } from './snapshot-file.ts';
import { syncDirectory } from './sync-directory.ts';
import { writeAll } from './write-all.ts';

/** The segment that goes on. */
export type OpenSegment = { readonly base: bigint; readonly bytes: number };

/**
 * Writes the files of a state into a new folder, and returns when they stay if the machine stops. One segment ends with the newest finalized slot, of
 * which there is a snapshot; the next one begins there, even if no slot follows.
 *
 * @throws an error of the operating system.
 */
export function writeBranch(folder: string, state: BranchState, limits: SegmentLimits): OpenSegment {
  const { heights, baseAt, recordAt, finalizedAccounts } = state;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeWhole(snapshotPath(folder, baseAt(heights.finalized).slot), snapshotParts(finalizedAccounts));
  let open: OpenSegment = { base: 0n, bytes: 0 };
  for (let height = heights.base, next = height; ; height = next) {
    const last = height < heights.finalized ? heights.finalized : heights.tip;
    const base = baseAt(height);
    let bytes = 0;
    const frames = function* (): Generator<Buffer> {
      yield frame(baseBytes(base));
      for (; next < last && Number(next - height) < limits.slots && bytes < limits.bytes; next++) {
        const record = frame(slotBytes(recordAt(next + 1n)));
        bytes += record.length;
        yield record;
      }
    };
    writeWhole(segmentPath(folder, base.slot), frames());
    open = { base: base.slot, bytes };
    if (next === heights.tip && height >= heights.finalized) break;
  }
  syncDirectory(folder);
  return open;
}

const BUFFER_BYTES = 1024 * 1024;

function writeWhole(path: string, parts: Iterable<Buffer>): void {
  const file = openSync(path, 'w', 0o600);
  try {
    let waiting: Buffer[] = [];
    let bytes = 0;
    const flush = (): void => {
      if (bytes > 0) writeAll(file, Buffer.concat(waiting));
      waiting = [];
      bytes = 0;
    };
    for (const part of parts) {
      waiting.push(part);
      bytes += part.length;
      if (bytes >= BUFFER_BYTES) flush();
    }
    flush();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
