import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { BlockRecord } from '../../../../src/gateway/streams/segments/block-record.ts';
import { SegmentSet } from '../../../../src/gateway/streams/segments/segment-set.ts';
import { newRoot } from './open-segmented.ts';

const hashAt = (slot: number, fork = ''): string => `hash${fork} ${slot}`;

/** A record with 1,000 bytes; what was final is 32 slots before. */
const recordAt = (
  slot: number,
  { parent = slot - 1, fork = '', from = fork }: { parent?: number; fork?: string; from?: string } = {},
): BlockRecord => ({
  parent: { slot: BigInt(parent), blockhash: hashAt(parent, from) },
  link: { slot: BigInt(slot), blockhash: hashAt(slot, fork) },
  finalizedSlot: BigInt(slot - 32),
  packed: Buffer.alloc(1_000, slot % 251),
});
const recordsOf = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => recordAt(first + at));

const sets: SegmentSet[] = [];
afterEach(() => Promise.all(sets.splice(0).map((set) => set.close())));

async function openSet(directory: string, segmentBytes = 20_000) {
  const damaged: string[] = [];
  let rooms = 0;
  const set = new SegmentSet({
    directory,
    segmentBytes,
    onCut: () => undefined,
    makeRoom: async () => void rooms++,
    onDamage: (path) => void damaged.push(path),
  });
  sets.push(set);
  await set.open(true);
  const append = async (records: readonly BlockRecord[]): Promise<void> => {
    for (const record of records) await set.append([record], true);
  };
  const slots = async (after: number): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let slot = BigInt(after); ; ) {
      const record = await set.recordAfter(slot);
      if (record === undefined || record.parent.slot > slot) return found;
      expect(record.packed).toEqual(recordAt(Number(record.link.slot)).packed);
      found.push(Number(record.link.slot));
      ({ slot } = record.link);
    }
  };
  return { set, append, slots, damaged, rooms: () => rooms };
}

const filesIn = async (directory: string) =>
  (await readdir(directory)).sort().map((name) => join(directory, name));
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('a segment that is full is sealed, and the next one continues: after a start all but one are known by their ends', async () => {
  const directory = await newRoot();
  const { set, append, slots, rooms } = await openSet(directory);
  await append(recordsOf(101, 200));
  const files = await filesIn(directory);
  expect(files.length).toBe(6);
  expect(rooms()).toBe(files.length);
  expect(await slots(100)).toEqual(range(101, 200));
  expect(await set.reach(200n)).toBe(100n);
  await set.close();
  const again = await openSet(directory);
  // Nothing says that the last 32 blocks stay.
  expect(await again.slots(100)).toEqual(range(101, 168));
  expect([await again.set.reach(168n), await again.set.reach(169n)]).toEqual([100n, 169n]);
  await again.append(recordsOf(201, 210));
  expect(await again.slots(100)).toEqual(range(101, 210));
});

test('skipped slots are no holes', async () => {
  const { set, append, slots } = await openSet(await newRoot());
  await append([recordAt(101), recordAt(104, { parent: 101 }), recordAt(105)]);
  expect(await slots(102)).toEqual([104, 105]);
  expect([await set.reach(105n), set.standing.holes]).toEqual([100n, 0]);
});

test('blocks that do not follow are kept behind a hole, which is known until it is filled', async () => {
  const { set, append, slots } = await openSet(await newRoot());
  await append([...recordsOf(101, 150), ...recordsOf(161, 200)]);
  expect([await set.reach(200n), set.standing.holes, set.standing.firstSlot]).toEqual([160n, 1, 160n]);
  expect(await slots(100)).toEqual(range(101, 118));
  await set.append(recordsOf(151, 159), false);
  expect([await set.reach(200n), set.standing.holes]).toEqual([160n, 1]);
  await set.append(recordsOf(160, 160), false);
  expect([await set.reach(200n), set.standing.holes, set.standing.firstSlot]).toEqual([100n, 0, 100n]);
  expect(await slots(100)).toEqual(range(101, 200));
});

test('segments that meet at a slot, but not at a block, are not one run', async () => {
  const { set, append } = await openSet(await newRoot());
  await append(recordsOf(101, 150));
  await set.append([recordAt(151, { fork: ' other' })], true);
  expect([await set.reach(151n), set.standing.holes]).toEqual([150n, 1]);
  expect(await set.recordAfter(149n)).toBeUndefined();
});

test('a torn end is cut at the last whole record, wherever it was cut off', async () => {
  const directory = await newRoot();
  const first = await openSet(directory, 10 ** 6);
  await first.append(recordsOf(101, 103));
  await first.set.close();
  const [path = ''] = await filesIn(directory);
  const bytes = await readFile(path);
  const oneBytes = bytes.length / 3;
  for (const length of [
    bytes.length - 1,
    2 * oneBytes + 17,
    2 * oneBytes + 15,
    2 * oneBytes + 1,
    2 * oneBytes,
  ]) {
    await writeFile(path, bytes.subarray(0, length));
    const { set, append, slots, damaged } = await openSet(directory, 10 ** 6);
    expect(set.end?.slot).toBe(102n);
    await append([recordAt(103)]);
    expect(await slots(100)).toEqual([101, 102, 103]);
    await set.close();
    expect([(await readFile(path)).equals(bytes), damaged]).toEqual([true, []]);
  }
});

test('a file without one whole record is removed', async () => {
  const directory = await newRoot();
  const first = await openSet(directory);
  await first.append([recordAt(101)]);
  await first.set.close();
  const [path = ''] = await filesIn(directory);
  await truncate(path, 10);
  const { set } = await openSet(directory);
  expect([set.end, await readdir(directory)]).toEqual([undefined, []]);
});

test('each byte of a sealed segment is held by a checksum: a record that changed is said, never served, and cut off', async () => {
  const directory = await newRoot();
  const first = await openSet(directory, 4_000);
  await first.append(recordsOf(101, 140));
  await first.set.close();
  const [path = ''] = await filesIn(directory);
  const bytes = await readFile(path);
  const { size } = await stat(path);
  for (const at of [0, 5, 9, 13, 20, 900, size / 2, size - 100, size - 10]) {
    const spoiled = Buffer.from(bytes);
    const place = Math.floor(at);
    spoiled.writeUInt8(spoiled.readUInt8(place) ^ 0x40, place);
    await writeFile(path, spoiled);
    const { set, slots, damaged } = await openSet(directory, 4_000);
    const found = await slots(100);
    expect([found.length === 8, damaged.length > 0]).not.toEqual([false, false]);
    expect(found).toEqual(range(101, 100 + found.length));
    await set.close();
    // A file that was cut has another name.
    const begin = path.slice(0, -'-00000000.blocks'.length);
    for (const left of await filesIn(directory)) if (left.startsWith(begin)) await rm(left);
    await writeFile(path, bytes);
  }
  const { slots, damaged } = await openSet(directory, 4_000);
  expect([await slots(100), damaged]).toEqual([range(101, 108), []]);
});

test('a cut at a slot drops what follows it, over several segments, and the chain continues from there', async () => {
  const directory = await newRoot();
  const { set, append, slots } = await openSet(directory, 4_000);
  await append(recordsOf(101, 140));
  await set.cutAfter(109n);
  expect(set.end).toEqual(recordAt(109).link);
  await append(recordsOf(110, 120));
  expect(await slots(100)).toEqual(range(101, 120));
  await set.close();
  const again = await openSet(directory, 4_000);
  expect(again.set.end).toEqual(recordAt(120).link);
});

test('another process reads what is written, sealed or not, and finds what is deleted gone', async () => {
  const directory = await newRoot();
  const { set, append } = await openSet(directory, 4_000);
  await append(recordsOf(101, 150));
  const reader = new SegmentSet({
    directory,
    segmentBytes: 4_000,
    onCut: () => undefined,
    makeRoom: async () => undefined,
    onDamage: (path) => expect.unreachable(path),
  });
  expect(await reader.reach(118n)).toBe(100n);
  expect((await reader.recordAfter(110n))?.link.slot).toBe(111n);
  await append(recordsOf(151, 200));
  await reader.open(false);
  expect(await reader.reach(168n)).toBe(100n);
  await set.cutAfter(100n);
  await reader.open(false);
  expect(await reader.recordAfter(110n)).toBeUndefined();
});

test.each([
  ['still grows', 10 ** 6],
  ['is sealed', 4_000],
])(
  'another process sends no block of a fork that was cut off, though it had read it, where the file %s',
  async (_, segmentBytes) => {
    const directory = await newRoot();
    const { set, append } = await openSet(directory, segmentBytes);
    await append(recordsOf(101, 140));
    let cuts = 0;
    const reader = new SegmentSet({
      directory,
      segmentBytes,
      onCut: () => void cuts++,
      makeRoom: async () => undefined,
      onDamage: (path) => expect.unreachable(path),
    });
    // Records read with it are not final.
    expect((await reader.recordAfter(106n))?.link.slot).toBe(107n);
    await set.cutAfter(109n);
    await append([recordAt(110, { fork: ' other', from: '' })]);
    for (let slot = 111; slot <= 150; slot++) await append([recordAt(slot, { fork: ' other' })]);
    const hash = await eventually(
      'the fork is known',
      async () => (await reader.recordAfter(110n))?.link.blockhash,
    );
    expect(hash).toBe('hash other 111');
    expect((await reader.recordAfter(109n))?.link.blockhash).toBe('hash other 110');
    expect(cuts).toBeGreaterThan(0);
  },
);

test('a file that grows is no cut for another process', async () => {
  const directory = await newRoot();
  const { append } = await openSet(directory);
  await append(recordsOf(101, 150));
  let cuts = 0;
  const reader = new SegmentSet({
    directory,
    segmentBytes: 20_000,
    onCut: () => void cuts++,
    makeRoom: async () => undefined,
    onDamage: (path) => expect.unreachable(path),
  });
  expect(await reader.reach(118n)).toBe(100n);
  await append(recordsOf(151, 200));
  await eventually('it has grown', async () => ((await reader.reach(168n)) === 100n ? true : undefined));
  expect(cuts).toBe(0);
});

test('all requests while files are first listed get the same answer, and none while files cannot be listed', async () => {
  const directory = await newRoot();
  const { append } = await openSet(directory);
  await append(recordsOf(101, 200));
  const create = (path: string) =>
    new SegmentSet({
      directory: path,
      segmentBytes: 20_000,
      onCut: () => undefined,
      makeRoom: async () => undefined,
      onDamage: (damaged) => expect.unreachable(damaged),
    });
  const reader = create(directory);
  const [one, other, record] = await Promise.all([
    reader.reach(168n),
    reader.reach(168n),
    reader.recordAfter(150n),
  ]);
  expect([one, other, record?.link.slot]).toEqual([100n, 100n, 151n]);
  const noDirectory = join(directory, 'file');
  await writeFile(noDirectory, '');
  const broken = create(noDirectory);
  await expect(broken.reach(168n)).rejects.toThrow('ENOTDIR');
  await expect(broken.recordAfter(150n)).rejects.toThrow('ENOTDIR');
  await rm(noDirectory);
  expect(await broken.reach(168n)).toBe(168n);
});
