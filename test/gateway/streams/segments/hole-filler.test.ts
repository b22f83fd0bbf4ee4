import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { Block } from '../../../../src/gateway/streams/block/block.ts';
import { Entry } from '../../../../src/gateway/streams/entry.ts';
import {
  MAX_NODE_SLOTS,
  type MissingSources,
} from '../../../../src/gateway/streams/segments/segment-history.ts';
import {
  keepSegments,
  type SegmentsOptions,
} from '../../../../src/gateway/streams/segments/keep-segments.ts';
import { streamPace } from '../../../support/stream-pace.ts';
import { replyOf } from '../reply-of.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { NETWORK, newRoot, range } from './open-segmented.ts';

type Overrides = Partial<SegmentsOptions> & { readonly sources?: Partial<MissingSources> };

/** Files of a ledger from slot 100 on, that are given each of its blocks by the test. */
async function openFiles({ sources, ...options }: Overrides = {}) {
  const ledger = createScriptedLedger(100);
  const segments = keepSegments({
    root: await newRoot(),
    maxBytes: 10 ** 8,
    maxBlockBytes: 10 ** 6,
    retryMs: 20,
    readFreeBytes: async () => 10 ** 12,
    log: { info: () => undefined, warn: () => undefined },
    ...options,
  });
  const asked: { readonly slot: number; readonly atMs: number }[] = [];
  const read = async (slot: bigint): Promise<Block> => {
    const block = { ...(await ledger.block(slot, 0n)) };
    segments.bytes.noteReply(block, replyOf(block));
    return block;
  };
  const node: MissingSources['node'] = {
    ...ledger,
    block: async (slot) => {
      asked.push({ slot: Number(slot), atMs: performance.now() });
      return await read(slot);
    },
  };
  const history = segments.of(NETWORK, { node, kept: undefined, pace: streamPace(), ...sources });
  history.follow('genesis');
  onTestFinished(async () => {
    history.leave();
    await segments.close();
  });
  /** Lets the ledger grow by blocks that are followed. */
  const note = async (...slots: readonly number[]): Promise<void> => {
    for (const slot of slots) {
      ledger.grow(slot);
      history.note(await read(BigInt(slot)));
    }
  };
  const standsAt = (what: string, first: number, last: number) =>
    eventually(
      what,
      async () => {
        await history.settled();
        return (await history.reach(BigInt(last))) === BigInt(first) ? true : undefined;
      },
      { intervalMs: 5 },
    );
  /** Leaves a hole of blocks that are not followed. */
  const miss = async (from: number, to: number): Promise<void> => {
    await history.settled();
    ledger.grow(...range(from, to));
  };
  return { ledger, segments, history, asked, read, note, miss, standsAt };
}

test('blocks of a node are found at the pace of the ledger, one after the other', async () => {
  const pollMs = 100;
  const files = await openFiles({ sources: { pace: streamPace({ pollMs }) } });
  await files.note(...range(101, 110));
  await files.miss(111, 115);
  await files.note(116);
  await files.standsAt('the hole is filled', 100, 116);
  expect(files.asked.map(({ slot }) => slot)).toEqual(range(111, 115));
  const [first, last] = [files.asked.at(0), files.asked.at(-1)];
  expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(4 * 2 * pollMs - 10);
});

test('a node is asked for small holes only; larger ones stay, for streams that pay for their blocks', async () => {
  const small = await openFiles();
  await small.note(101);
  await small.miss(102, 101 + MAX_NODE_SLOTS);
  await small.note(102 + MAX_NODE_SLOTS);
  await eventually('the node is asked', () => small.asked.at(0));
  const large = await openFiles();
  await large.note(101);
  await large.miss(102, 102 + MAX_NODE_SLOTS);
  await large.note(103 + MAX_NODE_SLOTS);
  await large.history.settled();
  expect([large.asked, large.segments.standings().map(({ holes }) => holes)]).toEqual([[], [1]]);
});

test('blocks that come are written while a node that hangs is asked for missing ones', async () => {
  const hanging = Promise.withResolvers<never>();
  const asks = Promise.withResolvers<undefined>();
  const node = {
    ...createScriptedLedger(100),
    slotsFrom: () => {
      asks.resolve(undefined);
      return hanging.promise;
    },
  };
  const { note, miss, history, segments } = await openFiles({ sources: { node } });
  await note(101);
  await miss(102, 110);
  await note(111);
  await asks.promise;
  await note(...range(112, 120));
  await eventually(
    'they are written',
    async () => ((await history.reach(120n)) === 110n ? true : undefined),
    { intervalMs: 5 },
  );
  expect(segments.standings().map(({ state, holes }) => [state, holes])).toEqual([['writing', 1]]);
});

/** Blocks that gateways share, each of which is the same object whenever it is read. */
function createShared(read: (slot: bigint) => Promise<Block>) {
  const atHand = new Map<bigint, Entry>();
  let reads = 0;
  return {
    reads: () => reads,
    kept: {
      after: async (slot: bigint): Promise<Entry | undefined> => {
        if (++reads > 10_000) throw new Error('it is read without end');
        const found = atHand.get(slot) ?? new Entry(await read(slot + 1n));
        atHand.set(slot, found);
        return found;
      },
    },
  };
}

test('a shared block that could not be written is written at the next attempt, though it is at hand since', async () => {
  let isFull = false;
  const shared = createShared((slot) => files.read(slot));
  const files = await openFiles({
    sources: { kept: shared.kept },
    readFreeBytes: async () => (isFull ? 0 : 10 ** 12),
    maxBytes: 100_000,
  });
  await files.note(101);
  await files.miss(102, 150);
  isFull = true;
  await files.note(151);
  await eventually('it fails', () => (files.segments.standings()[0]?.state === 'failing' ? true : undefined));
  isFull = false;
  let last = 151;
  await eventually(
    'all is there',
    async () => {
      await files.note(++last);
      await files.history.settled();
      return (await files.history.reach(BigInt(last))) === 100n ? true : undefined;
    },
    { intervalMs: 10 },
  );
  expect(shared.reads()).toBeLessThan(1_000);
});

test('a shared block whose reply is not known holds up nothing: it stays missing', async () => {
  const shared = createShared((slot) => files.ledger.block(slot, 0n));
  const files = await openFiles({ sources: { kept: shared.kept } });
  await files.note(101);
  await files.miss(102, 110);
  await files.note(...range(111, 140));
  await files.standsAt('what came is written', 110, 140);
  const [standing] = files.segments.standings();
  expect([standing?.state, standing?.holes]).toEqual(['writing', 1]);
  expect(shared.reads()).toBeLessThan(100);
  expect(files.asked).toEqual([]);
});

test('while it is not known what is shared, no node is asked, and nothing counts as lost', async () => {
  const shared = createShared((slot) => files.read(slot));
  let isLost = true;
  const after = async (slot: bigint) => {
    if (isLost) throw new Error('Redis is lost');
    return await shared.kept.after(slot);
  };
  const files = await openFiles({ sources: { kept: { after } } });
  await files.note(101);
  let last = 102 + MAX_NODE_SLOTS;
  await files.miss(102, last);
  await files.note(++last);
  await files.history.settled();
  isLost = false;
  await eventually(
    'it is asked for again',
    async () => {
      await files.note(++last);
      return shared.reads() > 0 ? true : undefined;
    },
    { intervalMs: 10 },
  );
  expect(files.asked).toEqual([]);
});
