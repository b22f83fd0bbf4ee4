import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlockRecord } from '../../../../src/gateway/streams/segments/block-record.ts';
import { SegmentSet } from '../../../../src/gateway/streams/segments/segment-set.ts';
import { rounds } from '../../../support/tier.ts';
import { newRoot } from './open-segmented.ts';

const FINAL_AFTER = 32;
const SEEDS = Array.from({ length: rounds(5) }, (_, at) => at + 1);
const STEPS = 120;

/** Numbers from 0 up to a bound, the same for each seed. */
function createRandom(seed: number) {
  let state = seed * 2_654_435_761;
  return (bound: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % bound;
  };
}

type Random = ReturnType<typeof createRandom>;

/** A ledger that grows, skips slots, and gives up blocks that are not final. */
class Chain {
  readonly #random: Random;
  readonly records: BlockRecord[] = [];
  #forks = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  grow(): BlockRecord {
    const parent = this.records.at(-1)?.link ?? { slot: 100n, blockhash: 'base' };
    const slot = parent.slot + 1n + BigInt(this.#random(4) === 0 ? 1 + this.#random(3) : 0);
    const blockhash = `hash ${slot} of ${this.#forks}`;
    const finalizedSlot = slot > FINAL_AFTER ? slot - BigInt(FINAL_AFTER) : 0n;
    const packed = Buffer.alloc(this.#random(600), this.#random(256));
    const record = { parent, link: { slot, blockhash }, finalizedSlot, packed };
    this.records.push(record);
    return record;
  }

  /** @returns the slot after which there are other blocks from now on. */
  fork(): bigint {
    const last = this.records.at(-1)?.link.slot ?? 0n;
    const final = this.records.filter(({ link }) => link.slot <= last - BigInt(FINAL_AFTER)).length;
    this.records.length = Math.max(final, this.records.length - this.#random(10), 1);
    this.#forks++;
    return this.records.at(-1)?.link.slot ?? 0n;
  }

  after(slot: bigint): BlockRecord | undefined {
    return this.records.find(({ link }) => link.slot > slot);
  }
}

const openSet = async (directory: string): Promise<SegmentSet> => {
  const ignore = (): void => undefined;
  const set = new SegmentSet({
    directory,
    segmentBytes: 6_000,
    onCut: ignore,
    onDamage: ignore,
    makeRoom: async () => undefined,
  });
  await set.open(true);
  return set;
};

/** Appends the next block of the chain, as its follower does. */
async function append(set: SegmentSet, record: BlockRecord): Promise<void> {
  const { end } = set;
  const follows = end === undefined || end.blockhash === record.parent.blockhash;
  if (follows || (await set.admit(record))) await set.append([record], true);
}

/** Fills what the chain still has. */
async function fill(set: SegmentSet, chain: Chain): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    const { hole } = set;
    if (hole === undefined) return;
    const { end } = hole.before.summary;
    const next = chain.after(end.slot);
    if (next?.parent.blockhash === end.blockhash) await set.append([next], false);
    else expect(await set.cutToFinal(hole)).toBe(true);
  }
  expect.unreachable('the holes do not end');
}

/** Checks that reads agree with the chain, from any slot, and that spans said to be whole are. */
async function check(set: SegmentSet, chain: Chain, random: Random): Promise<void> {
  const last = Number(chain.records.at(-1)?.link.slot ?? 100n);
  for (let at = 0; at < 5; at++) {
    const slot = BigInt(100 + random(last - 99));
    const found = await set.recordAfter(slot);
    if (found !== undefined && found.parent.slot <= slot) expect(found).toEqual(chain.after(slot));
  }
  const { records } = chain;
  const from = records[random(records.length)]?.link.slot ?? 100n;
  for (let slot = await set.reach(from); slot < from; ) {
    const found = await set.recordAfter(slot);
    const reached = await set.reach(from);
    // A record that was just found damaged is no longer said to be there.
    if (found === undefined) expect(reached).toBeGreaterThan(slot);
    else expect(found).toEqual(chain.after(slot));
    slot = found?.link.slot ?? reached;
  }
}

/** Spoils a file as a kill or a disk does. */
async function spoil(directory: string, random: Random, how: 'cut' | 'change'): Promise<void> {
  const names = await readdir(directory);
  const paths = names.map((name) => join(directory, name));
  const path = paths[random(paths.length || 1)];
  if (path === undefined) return;
  const { size } = await stat(path);
  if (how === 'cut') return await truncate(path, Math.max(0, size - random(2_000)));
  const bytes = await readFile(path);
  const at = random(size || 1);
  if (size > 0) bytes.writeUInt8(bytes.readUInt8(at) ^ (1 + random(255)), at);
  await writeFile(path, bytes);
}

test.each(SEEDS)(
  'whatever is appended, missed, forked, killed, spoiled and deleted, no block is wrong and no hole is silent: seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const directory = await newRoot();
    const chain = new Chain(random);
    chain.grow();
    let set = await openSet(directory);
    for (let step = 0; step < STEPS; step++) {
      const choice = random(12);
      if (choice < 6) for (let count = random(12); count >= 0; count--) await append(set, chain.grow());
      else if (choice === 6) for (let count = random(12); count >= 0; count--) chain.grow();
      else if (choice === 7) {
        chain.fork();
        await append(set, chain.grow());
      } else if (choice === 8) await fill(set, chain);
      else {
        await set.close();
        if (choice === 9) await spoil(directory, random, 'cut');
        if (choice === 10) await spoil(directory, random, 'change');
        if (choice === 11) {
          const [oldest] = (await readdir(directory)).sort();
          if (oldest !== undefined) await rm(join(directory, oldest));
          chain.fork();
        }
        set = await openSet(directory);
      }
      await check(set, chain, random);
    }
    await append(set, chain.grow());
    await fill(set, chain);
    expect(set.standing.holes).toBe(0);
    await check(set, chain, random);
    await set.close();
  },
);
