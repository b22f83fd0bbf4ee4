import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { recordOf } from '../../../../src/gateway/streams/segments/block-record.ts';
import { createBlockBytes, SegmentWriter } from '../../../../src/gateway/streams/segments/segment-writer.ts';
import { SegmentSet } from '../../../../src/gateway/streams/segments/segment-set.ts';
import { replyOf } from '../reply-of.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { newRoot, range } from './open-segmented.ts';

const nothing = (): void => undefined;

const openSet = (directory: string) =>
  new SegmentSet({
    directory,
    segmentBytes: 10 ** 6,
    onDamage: nothing,
    onCut: nothing,
    makeRoom: async () => undefined,
  });

/** Lets the next listing of a directory fail. */
function failNextListing(): void {
  const { readdir } = promises;
  const put = (next: unknown): void => {
    Object.assign(promises, { readdir: next });
    syncBuiltinESMExports();
  };
  onTestFinished(() => put(readdir));
  put(async () => {
    put(readdir);
    throw new Error('EMFILE: too many open files');
  });
}

test('a process that lost its claim writes nothing after the batch at which it was asked for', async () => {
  const bytes = createBlockBytes();
  const set = openSet(await newRoot());
  const releases: string[] = [];
  const writer = new SegmentWriter({
    set,
    bytes,
    findMissing: async () => 'gone',
    onState: nothing,
    claim: async () => ({ isHeld: async () => false, release: async () => void releases.push('released') }),
  });
  onTestFinished(() => writer.stop());
  const ledger = createScriptedLedger(100);
  ledger.grow(...range(101, 120));
  for (const slot of range(101, 120)) {
    const block = await ledger.block(BigInt(slot), 0n);
    bytes.noteReply(block, replyOf(block));
  }
  for (const slot of range(101, 120)) writer.note(await ledger.block(BigInt(slot), 0n));
  await writer.settled();
  expect([writer.state, releases]).toEqual(['elsewhere', ['released']]);
  expect(set.end?.slot).toBeLessThan(120n);
});

test('a claim is given back when the files cannot be listed, and with the next one they are what is there', async () => {
  const [directory, bytes] = [await newRoot(), createBlockBytes()];
  const [set, other] = [openSet(directory), openSet(directory)];
  const ledger = createScriptedLedger(100);
  ledger.grow(...range(101, 112));
  const append = async (first: number, last: number): Promise<void> => {
    for (const slot of range(first, last))
      await other.append([recordOf(await ledger.block(BigInt(slot), 0n), Buffer.alloc(100))], true);
  };
  await other.open(true);
  await append(101, 105);
  await set.reach(105n);
  await append(106, 110);
  await other.close();
  const happened: string[] = [];
  const writer = new SegmentWriter({
    set,
    bytes,
    findMissing: async () => 'gone',
    onState: (state) => void happened.push(state),
    claim: async () => {
      happened.push('claimed');
      return { isHeld: async () => true, release: async () => void happened.push('released') };
    },
    retryMs: 0,
  });
  onTestFinished(() => writer.stop());
  failNextListing();
  for (const slot of [111n, 111n, 112n]) {
    const block = await ledger.block(slot, 0n);
    bytes.noteReply(block, replyOf(block));
    writer.note(block);
    await writer.settled();
  }
  expect(happened).toEqual(['claimed', 'released', 'failing', 'claimed', 'writing']);
  expect([set.end?.slot, set.standing.holes]).toEqual([112n, 0]);
});
