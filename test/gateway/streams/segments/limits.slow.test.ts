import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { ServiceError } from '../../../../src/core/service-error.ts';
import type { Cursor } from '../../../../src/gateway/streams/cursor.ts';
import { mountSmallDisk, SMALL_DISK_MISSING } from '../../../support/small-disk.ts';
import { createScriptedLedger, type ScriptedLedger } from '../scripted-ledger.ts';
import { newRoot, openSegmented, range, type Segmented, slotsOf } from './open-segmented.ts';

const noRefill = async (): Promise<never> => {
  throw new Error('a block was asked of the node');
};

const becomes = (gateway: Segmented, state: string) =>
  eventually(`it is ${state}`, () => (gateway.standing().state === state ? true : undefined), {
    intervalMs: 5,
  });

/** Lets a ledger grow until its blocks are written, and by one that is. @returns the newest slot. */
async function growUntilWriting(gateway: Segmented, ledger: ScriptedLedger, live: Cursor, from: number) {
  let last = from;
  const grow = async (): Promise<void> => {
    ledger.grow(++last);
    await slotsOf(live, 1);
  };
  await eventually(
    'it writes',
    async () => {
      await grow();
      return gateway.standing().state === 'writing' ? true : undefined;
    },
    { intervalMs: 10 },
  );
  await grow();
  return last;
}

async function bytesIn(root: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(root, { recursive: true })) {
    if (name.endsWith('.blocks')) bytes += (await stat(join(root, name))).size;
  }
  return bytes;
}

test('files stay within the bound: the oldest go first, and how far they still go back is told', async () => {
  const root = await newRoot();
  const ledger = createScriptedLedger(100);
  const maxBytes = 100_000;
  const gateway = openSegmented(ledger, root, { maxBytes });
  const live = await gateway.hub.open(undefined);
  for (let last = 100; last < 1_100; last += 50) {
    ledger.grow(...range(last + 1, last + 50));
    await slotsOf(live, 50);
    await gateway.writtenUpTo(last + 50);
    expect(await bytesIn(root)).toBeLessThanOrEqual(maxBytes);
  }
  const first = Number(gateway.standing().firstSlot);
  expect(first).toBeGreaterThan(300);
  expect(first).toBeLessThan(1_000);
  ledger.purgeBelow(1_100);
  const gone = (await gateway.hub.open(BigInt(first - 1)).catch((error: unknown) => error)) as ServiceError;
  expect([gone.code, gone.context.oldestSlot]).toEqual(['resumeSlotGone', BigInt(first)]);
  const resumed = await gateway.hub.open(BigInt(first), noRefill);
  expect(await slotsOf(resumed, 1_100 - first)).toEqual(range(first + 1, 1_100));
});

test('a disk that hangs delays no stream: what does not fit in the queue is left out, and read again', async () => {
  const ledger = createScriptedLedger(100);
  const disk = Promise.withResolvers<number>();
  const padBytes = 9_000_000;
  const gateway = openSegmented(ledger, await newRoot(), {
    padBytes,
    maxBlockBytes: 10 ** 7,
    maxBytes: 10 ** 9,
    readFreeBytes: () => disk.promise,
  });
  const live = await gateway.hub.open(undefined);
  ledger.grow(...range(101, 120));
  expect(await slotsOf(live, 20)).toEqual(range(101, 120));
  expect(gateway.asked).toHaveLength(20);
  expect(gateway.standing().state).toBe('failing');
  expect(await slotsOf(await gateway.hub.open(100n), 20)).toEqual(range(101, 120));
  disk.resolve(10 ** 12);
  await becomes(gateway, 'writing');
  const last = 121;
  ledger.grow(last);
  await slotsOf(live, 1);
  await gateway.writtenUpTo(last);
  // 16 more for the stream that resumed behind memory, and those that were left out.
  expect(gateway.asked.length).toBeGreaterThan(last - 100 + 16);
  expect(gateway.asked.length).toBeLessThan(last - 100 + 16 + 20);
  ledger.purgeBelow(last);
  expect(await slotsOf(await gateway.hub.open(100n, noRefill), last - 100)).toEqual(range(101, last));
});

test('a disk that is full stops files, not streams, and files continue when there is room', async (context) => {
  const disk = mountSmallDisk(2);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  context.onTestFinished(disk.unmount);
  const ledger = createScriptedLedger(100);
  const gateway = openSegmented(ledger, disk.path);
  const live = await gateway.hub.open(undefined);
  ledger.grow(...range(101, 150));
  await slotsOf(live, 50);
  await gateway.writtenUpTo(150);
  disk.fill();
  ledger.grow(...range(151, 200));
  expect(await slotsOf(live, 50)).toEqual(range(151, 200));
  await becomes(gateway, 'failing');
  expect(gateway.warnings.map(({ reason }) => reason)).toEqual([expect.stringContaining('ENOSPC')]);
  expect(await slotsOf(await gateway.hub.open(120n), 80)).toEqual(range(121, 200));
  disk.makeRoom();
  const last = await growUntilWriting(gateway, ledger, live, 200);
  await gateway.writtenUpTo(last);
  ledger.purgeBelow(last);
  expect(await slotsOf(await gateway.hub.open(100n, noRefill), last - 100)).toEqual(range(101, last));
  await gateway.close();
});

test('a start in a directory that was full of another ledger makes room of its files', async () => {
  const root = await newRoot();
  const write = async (ledger: ReturnType<typeof createScriptedLedger>, last: number) => {
    const gateway = openSegmented(ledger, root, { maxBytes: 50_000 });
    const live = await gateway.hub.open(undefined);
    ledger.grow(...range(last - 299, last));
    await slotsOf(live, 300);
    await gateway.writtenUpTo(last);
    await gateway.close();
  };
  await write(createScriptedLedger(100), 400);
  const other = createScriptedLedger(100);
  other.beginAnew(500, 'other');
  await write(other, 800);
  expect(await bytesIn(root)).toBeLessThanOrEqual(50_000);
  const [ofOther, ofFirst] = [
    await bytesIn(join(root, 'solana-localnet', 'other')),
    await bytesIn(join(root, 'solana-localnet', 'genesis')),
  ];
  expect(ofOther).toBeGreaterThan(ofFirst);
});
