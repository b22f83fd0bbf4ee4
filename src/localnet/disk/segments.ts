import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainBase } from './chain-base.ts';
import { readBase } from './chain-base.ts';
import { readFrames } from './frames.ts';
import { snapshotPath } from './snapshot-file.ts';
import { slotOfBytes } from './slot-record.ts';

/** A file of consecutive slots: those after its base. */
export type Segment = {
  readonly path: string;
  readonly base: ChainBase;
  /** The last slot in it; that of its base if it has none. */
  readonly last: bigint;
  readonly slots: readonly Buffer[];
  /** Length of what can be read. */
  readonly goodBytes: number;
  readonly isTorn: boolean;
};

const SEGMENT = /^slots-(\d+)\.log$/;
const SNAPSHOT = /^accounts-(\d+)\.bin$/;

/** Returns the path of the segment whose base is a slot. */
export function segmentPath(directory: string, base: bigint): string {
  return join(directory, `slots-${base}.log`);
}

/** Returns the bases of the segments of a folder, ascending. */
export function segmentBases(directory: string): readonly bigint[] {
  return numbersOf(directory, SEGMENT);
}

/** Returns the slots of which a folder has snapshots, newest first. */
export function snapshotSlots(directory: string): readonly bigint[] {
  return numbersOf(directory, SNAPSHOT).toReversed();
}

/** Deletes a snapshot. */
export function deleteSnapshot(directory: string, slot: bigint): void {
  rmSync(snapshotPath(directory, slot), { force: true });
}

/** Reads a segment up to its first torn frame; undefined: not even its base can be read. */
export function readSegment(directory: string, number: bigint): Segment | undefined {
  const path = segmentPath(directory, number);
  const { payloads, goodBytes, isTorn } = readFrames(readFileSync(path));
  const base = readBase(payloads[0]);
  if (base === undefined) return undefined;
  const slots = payloads.slice(1);
  const last = slots.at(-1);
  return { path, base, slots, goodBytes, isTorn, last: last === undefined ? base.slot : slotOfBytes(last) };
}

/** Cuts a segment behind what can be read of it. */
export function cutSegment({ path, goodBytes }: Segment): void {
  truncateSync(path, goodBytes);
}

function numbersOf(directory: string, pattern: RegExp): readonly bigint[] {
  const numbers = readdirSync(directory).flatMap((name) => {
    const [, digits] = pattern.exec(name) ?? [];
    return digits === undefined ? [] : [BigInt(digits)];
  });
  return numbers.sort((a, b) => (a < b ? -1 : 1));
}
