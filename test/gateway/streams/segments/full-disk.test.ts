import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { recordOf } from '../../../../src/gateway/streams/segments/block-record.ts';
import { SegmentSet } from '../../../../src/gateway/streams/segments/segment-set.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { newRoot, range } from './open-segmented.ts';

/** A disk on which no file can be written that was opened since, while it is full. */
function useDisk() {
  const disk = { isFull: false };
  const { open } = promises;
  const put = (next: unknown): void => {
    Object.assign(promises, { open: next });
    syncBuiltinESMExports();
  };
  onTestFinished(() => put(open));
  put(async (...given: Parameters<typeof open>) => {
    const file = await open(...given);
    const write = file.write.bind(file);
    const writeIfRoom = async (...what: readonly unknown[]): Promise<unknown> => {
      if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return await Reflect.apply(write, file, what);
    };
    return Object.assign(file, { write: writeIfRoom });
  });
  return disk;
}

const createSet = (directory: string, makeRoom: () => Promise<void>): SegmentSet => {
  const set = new SegmentSet({
    directory,
    segmentBytes: 4_000,
    onCut: () => undefined,
    makeRoom,
    onDamage: (path, reason) => expect.unreachable(`${path}: ${reason}`),
  });
  onTestFinished(() => set.close());
  return set;
};

test('a segment that finds the disk full, wherever it is, makes room and continues without a hole', async () => {
  const disk = useDisk();
  const directory = await newRoot();
  const ledger = createScriptedLedger(100);
  ledger.grow(...range(101, 140));
  let rooms = 0;
  const set = createSet(directory, async () => {
    rooms++;
    disk.isFull = false;
  });
  await set.open(true);
  for (const slot of range(101, 140)) {
    disk.isFull = true;
    await set.append([recordOf(await ledger.block(BigInt(slot), 0n), Buffer.alloc(1_000))], true);
  }
  expect(rooms).toBeGreaterThanOrEqual(40);
  expect([await set.reach(140n), set.standing.holes]).toEqual([100n, 0]);
  await set.close();
  const again = createSet(directory, async () => undefined);
  await again.open(true);
  expect([again.end?.slot, again.standing.holes]).toEqual([140n, 0]);
});

test('a disk that stays full is told after one more attempt, and none of the records counts', async () => {
  const disk = useDisk();
  const ledger = createScriptedLedger(100);
  ledger.grow(101, 102);
  let rooms = 0;
  const set = createSet(await newRoot(), async () => void rooms++);
  await set.open(true);
  const append = async (slot: bigint): Promise<void> =>
    set.append([recordOf(await ledger.block(slot, 0n), Buffer.alloc(1_000))], true);
  await append(101n);
  disk.isFull = true;
  await expect(append(102n)).rejects.toThrow('ENOSPC');
  expect([rooms, set.end?.slot]).toEqual([2, 101n]);
  disk.isFull = false;
  await append(102n);
  expect([rooms, set.end?.slot, set.standing.holes]).toEqual([2, 102n, 0]);
});
