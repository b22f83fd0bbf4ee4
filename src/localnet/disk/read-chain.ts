import { rmSync } from 'node:fs';
import { optionProblem } from '../genesis-options/option-problem.ts';
import type { AccountChange } from './account-bytes.ts';
import type { ChainBase } from './chain-base.ts';
import {
  cutSegment,
  readSegment,
  type Segment,
  segmentBases,
  segmentPath,
  snapshotSlots,
} from './segments.ts';
import { readSnapshot } from './snapshot-file.ts';
import { readSlot, type SlotRecord } from './slot-record.ts';

/** A chain as it was found on disk. */
export type StoredChain = {
  /** The slot before the first one that is kept. */
  readonly first: ChainBase;
  /** All accounts at the end of the slot of `base`. */
  readonly accounts: readonly AccountChange[];
  readonly base: ChainBase;
  /** Every slot that is kept, ascending; the accounts of those up to `base` are in `accounts` already. */
  readonly slots: () => Iterable<SlotRecord>;
  /** The segment that goes on. */
  readonly open: { readonly base: bigint; readonly bytes: number };
  /** Damage that was found and left out, in words. */
  readonly damage: readonly string[];
};

/**
 * Reads the chain of a folder: the newest state that is whole. What is torn at the end of a file is cut off, and a file that does not follow
 * the one before is left out: of two parts that do not meet, the newer one counts if it has a snapshot.
 *
 * @throws ServiceError invalidConfig: there is no whole state.
 */
export function readChain(directory: string, finalitySlots: bigint): StoredChain {
  const damage: string[] = [];
  const segments = joinSegments(directory, damage);
  const [first, open] = [segments[0], segments.at(-1)];
  const state = segments.length === 0 ? undefined : newestState(directory, segments, finalitySlots);
  if (first === undefined || open === undefined || state === undefined)
    throw optionProblem(
      `--ledger: no state of the ledger in ${directory} is whole; --reset deletes it and begins anew`,
    );
  return {
    ...{ first: first.base, damage, ...state },
    slots: () => segments.values().flatMap(({ slots }) => slots.values().map(readSlot)),
    open: { base: open.base.slot, bytes: open.goodBytes },
  };
}

function joinSegments(directory: string, damage: string[]): readonly Segment[] {
  let joined: Segment[] = [];
  for (const number of segmentBases(directory)) {
    const segment = readSegment(directory, number);
    const path = segmentPath(directory, number);
    const before = joined.at(-1);
    if (segment === undefined) {
      damage.push(`${path} cannot be read and is deleted`);
      rmSync(path);
      continue;
    }
    if (segment.isTorn) {
      damage.push(`${path} is torn behind slot ${segment.last}`);
      cutSegment(segment);
    }
    if (before !== undefined && before.last !== segment.base.slot) {
      if (readSnapshot(directory, segment.base.slot) === undefined) {
        damage.push(`${path} does not follow slot ${before.last} and is deleted`);
        rmSync(path);
        continue;
      }
      damage.push(`the slots up to ${segment.base.slot} are lost, their state is not`);
      for (const lost of joined) rmSync(lost.path);
      joined = [];
    }
    joined.push(segment);
  }
  return joined;
}

/** A snapshot from before the newest finalized slot, so that reads of every commitment are what they were; else the oldest there is. */
function newestState(
  directory: string,
  segments: readonly Segment[],
  finalitySlots: bigint,
): Pick<StoredChain, 'accounts' | 'base'> | undefined {
  const tip = segments.at(-1)?.last ?? 0n;
  const candidates = snapshotSlots(directory).flatMap(
    (slot) => segments.find(({ base }) => base.slot === slot)?.base ?? [],
  );
  const isOld = ({ slot }: ChainBase): boolean => slot + finalitySlots + 1n <= tip;
  const ordered = [...candidates.filter(isOld), ...candidates.filter((base) => !isOld(base)).toReversed()];
  for (const base of ordered) {
    const accounts = readSnapshot(directory, base.slot);
    if (accounts !== undefined) return { base, accounts };
  }
  return undefined;
}
