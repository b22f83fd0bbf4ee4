import { expect, onTestFinished, test } from 'vitest';
import { createBlockBytes } from '../../../src/stream/segments/block-bytes.ts';
import { SegmentSet } from '../../../src/stream/segments/segment-set.ts';
import { SegmentWriter } from '../../../src/stream/segments/segment-writer.ts';
import { replyOf } from '../reply-of.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { newRoot, range } from './open-segmented.ts';

test('a process that lost its claim writes nothing after the batch at which it was asked for', async () => {
  const bytes = createBlockBytes();
  const nothing = (): void => undefined;
  const set = new SegmentSet({
    ...{ directory: await newRoot(), segmentBytes: 10 ** 6, onDamage: nothing, onCut: nothing },
    makeRoom: async () => undefined,
  });
  const releases: string[] = [];
  const writer = new SegmentWriter({
    ...{ set, bytes, findMissing: async () => 'gone', onState: nothing },
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
