import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { ServiceError } from '../../../../src/core/service-error.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { NETWORK, newRoot, openSegmented, range, slotsOf } from './open-segmented.ts';

const noRefill = async (): Promise<never> => {
  throw new Error('a block was asked of the node');
};

/** Follows a ledger from 100 to `last`, and closes when all is written. */
async function writeTo(last: number, root: string, ledger = createScriptedLedger(100)) {
  const gateway = openSegmented(ledger, root);
  const cursor = await gateway.hub.open(undefined);
  ledger.grow(...range(101, last));
  await slotsOf(cursor, last - 100);
  await gateway.writtenUpTo(last);
  return { ledger, gateway };
}

const filesIn = async (root: string) => {
  const directory = join(root, NETWORK, 'genesis');
  return (await readdir(directory))
    .filter((name) => name.endsWith('.blocks'))
    .sort()
    .map((name) => join(directory, name));
};

test('a stream resumes behind memory from files, without the node', async () => {
  const { ledger, gateway } = await writeTo(200, await newRoot());
  ledger.purgeBelow(199);
  const cursor = await gateway.hub.open(100n, noRefill);
  expect(await slotsOf(cursor, 100)).toEqual(range(101, 200));
  ledger.grow(201);
  expect(await slotsOf(cursor, 1)).toEqual([201]);
  expect(gateway.asked.map(Number)).toEqual(range(101, 201));
  const tooEarly = (await gateway.hub.open(99n).catch((error: unknown) => error)) as ServiceError;
  expect([tooEarly.code, tooEarly.context]).toEqual(['resumeSlotGone', { slot: 99n, oldestSlot: 100n }]);
});

test('after a start blocks that were missed meanwhile are read of the node, and the stream has no hole', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  ledger.grow(...range(201, 230));
  ledger.purgeBelow(195);
  const second = openSegmented(ledger, root);
  const live = await second.hub.open(undefined);
  ledger.grow(231, 232);
  await slotsOf(live, 2);
  await second.writtenUpTo(232);
  expect(second.asked.map(Number).sort()).toEqual(range(201, 232));
  ledger.purgeBelow(231);
  const resumed = await second.hub.open(100n, noRefill);
  expect(await slotsOf(resumed, 132)).toEqual(range(101, 232));
});

test('a stream that begins before the missed blocks are there gets them of the node itself', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  ledger.grow(...range(201, 230));
  ledger.purgeBelow(150);
  const second = openSegmented(ledger, root);
  let refills = 0;
  const resumed = await second.hub.open(100n, async () => void refills++);
  expect(await slotsOf(resumed, 130)).toEqual(range(101, 230));
  // The last 32 blocks were not final when they were written, and nothing has said so since.
  expect(refills).toBe(230 - 168);
});

test('blocks that nobody has any more are a gap that is told, and what follows it is kept', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  ledger.grow(...range(201, 230));
  ledger.purgeBelow(220);
  const second = openSegmented(ledger, root);
  const live = await second.hub.open(undefined);
  ledger.grow(...range(231, 240));
  await slotsOf(live, 10);
  await eventually(
    'they are written',
    async () => ((await second.standing().holes) === 1 ? true : undefined),
    {
      intervalMs: 5,
    },
  );
  const gone = (await second.hub.open(150n).catch((error: unknown) => error)) as ServiceError;
  expect([gone.code, gone.context]).toEqual(['resumeSlotGone', { slot: 150n, oldestSlot: 219n }]);
  const resumed = await second.hub.open(219n);
  expect(await slotsOf(resumed, 21)).toEqual(range(220, 240));
  expect(second.standing().firstSlot).toBe(230n);
});

test('blocks of a fork that was given up are never sent, and are replaced', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  // The blocks after 168 were not final; another chain has taken their place.
  const other = createScriptedLedger(100);
  other.grow(...range(101, 168));
  const renamed = { ...other, block: other.block };
  for (const slot of range(169, 230)) other.grow(slot);
  const forked = {
    ...renamed,
    block: async (slot: bigint, finalizedSlot: bigint) => {
      const block = await other.block(slot, finalizedSlot);
      const hash = (each: bigint, text: string): string => (each > 168n ? `fork ${text}` : text);
      return {
        ...block,
        blockhash: hash(slot, block.blockhash),
        previousBlockhash: hash(block.parentSlot, block.previousBlockhash),
      };
    },
  };
  const second = openSegmented(forked, root);
  const live = await second.hub.open(undefined);
  other.grow(231);
  await slotsOf(live, 1);
  await second.writtenUpTo(231);
  const resumed = await second.hub.open(160n, noRefill);
  for (const slot of range(161, 231)) {
    const entry = await resumed.next();
    expect(entry.block.blockhash).toBe(slot > 168 ? `fork genesis ${slot}` : `genesis ${slot}`);
    resumed.done(entry);
  }
  expect(ledger.slots().length).toBe(101);
});

test('a damaged record is never sent: it is read again of the node, and said', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  const [file = ''] = await filesIn(root);
  const bytes = await readFile(file);
  const at = bytes.indexOf('genesis 120');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(file, bytes);
  const second = openSegmented(ledger, root);
  const live = await second.hub.open(undefined);
  ledger.grow(201);
  await slotsOf(live, 1);
  const resumed = await second.hub.open(100n);
  expect(await slotsOf(resumed, 101)).toEqual(range(101, 201));
  expect(second.warnings.map(({ path }) => path)).toContain(file);
  ledger.grow(202);
  await second.writtenUpTo(202);
  ledger.purgeBelow(202);
  const again = await second.hub.open(100n, noRefill);
  expect(await slotsOf(again, 102)).toEqual(range(101, 202));
});

test('what a killed process has written in part is cut, whatever of it there is', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  const [file = ''] = await filesIn(root);
  const bytes = await readFile(file);
  await writeFile(file, bytes.subarray(0, bytes.length - 20));
  const second = openSegmented(ledger, root);
  const live = await second.hub.open(undefined);
  ledger.grow(201);
  await slotsOf(live, 1);
  await second.writtenUpTo(201);
  expect(second.warnings).toEqual([]);
  ledger.purgeBelow(201);
  const resumed = await second.hub.open(100n, noRefill);
  expect(await slotsOf(resumed, 101)).toEqual(range(101, 201));
});

test('the files of another ledger are not served, and stay', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  const other = createScriptedLedger(100);
  other.beginAnew(150, 'other');
  const second = openSegmented(other, root);
  const live = await second.hub.open(undefined);
  other.grow(...range(151, 160));
  await slotsOf(live, 10);
  await second.writtenUpTo(160);
  const gone = (await second.hub.open(120n).catch((error: unknown) => error)) as ServiceError;
  expect(gone.code).toBe('resumeSlotGone');
  await second.close();
  ledger.purgeBelow(160);
  const third = openSegmented(ledger, root);
  await third.hub.open(undefined);
  const resumed = await third.hub.open(100n);
  expect(await slotsOf(resumed, 50)).toEqual(range(101, 150));
});

test('two processes with one directory: one writes, the other one reads, and follows when it ends', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  const second = openSegmented(ledger, root);
  const live = await second.hub.open(undefined);
  ledger.grow(201);
  await slotsOf(live, 1);
  await eventually('it knows', () => (second.standing().state === 'elsewhere' ? true : undefined), {
    intervalMs: 5,
  });
  await first.writtenUpTo(201);
  ledger.purgeBelow(160);
  const resumed = await second.hub.open(100n);
  expect(await slotsOf(resumed, 101)).toEqual(range(101, 201));
  await first.close();
  let last = 201;
  await eventually(
    'the other one writes',
    async () => {
      ledger.grow(++last);
      await slotsOf(live, 1);
      return second.standing().state === 'writing' ? true : undefined;
    },
    { intervalMs: 10 },
  );
  await second.writtenUpTo(last);
  ledger.purgeBelow(last);
  expect(await slotsOf(await second.hub.open(100n, noRefill), last - 100)).toEqual(range(101, last));
});

test('where files cannot be written streams continue, which is said, and files grow again by themselves', async () => {
  const root = await newRoot();
  await writeFile(join(root, NETWORK), 'no directory');
  const ledger = createScriptedLedger(100);
  const gateway = openSegmented(ledger, root);
  const live = await gateway.hub.open(undefined);
  ledger.grow(...range(101, 120));
  expect(await slotsOf(live, 20)).toEqual(range(101, 120));
  await eventually('it is said', () => (gateway.standing().state === 'failing' ? true : undefined), {
    intervalMs: 5,
  });
  expect(gateway.warnings).toHaveLength(1);
  await rm(join(root, NETWORK));
  let last = 120;
  await eventually(
    'it writes',
    async () => {
      ledger.grow(++last);
      await slotsOf(live, 1);
      return gateway.standing().state === 'writing' ? true : undefined;
    },
    { intervalMs: 10 },
  );
});

test('a directory that is closed to others is made so', async () => {
  const root = await newRoot();
  await chmod(root, 0o700);
  await writeTo(110, root);
  const [file = ''] = await filesIn(root);
  const { stat } = await import('node:fs/promises');
  expect((await stat(file)).mode & 0o077).toBe(0);
  expect((await stat(join(root, NETWORK))).mode & 0o077).toBe(0);
});

test('while files cannot be listed, what the node no longer has is unavailable, not gone', async () => {
  const root = await newRoot();
  const { ledger, gateway: first } = await writeTo(200, root);
  await first.close();
  ledger.purgeBelow(160);
  await rename(join(root, NETWORK), join(root, 'aside'));
  await writeFile(join(root, NETWORK), 'no directory');
  const second = openSegmented(ledger, root);
  const unknown = (await second.hub.open(120n).catch((error: unknown) => error)) as ServiceError;
  expect(unknown.code).toBe('upstreamUnavailable');
  await rm(join(root, NETWORK));
  await rename(join(root, 'aside'), join(root, NETWORK));
  expect(await slotsOf(await second.hub.open(120n), 48)).toEqual(range(121, 168));
});
