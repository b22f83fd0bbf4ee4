import { describe, expect, it } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { failureOf, open, take } from './open-hub.ts';
import { createScriptedLedger } from './scripted-ledger.ts';
import { streamPace } from '../../support/stream-pace.ts';

describe('a stream', () => {
  it('begins after the newest slot, and has every block in order, whatever slots are skipped', async () => {
    const node = createScriptedLedger(100);
    const cursor = await open(node).open(undefined);
    expect(cursor.position).toBe(100n);
    node.grow(101, 103, 104, 2_000);
    expect(await take(cursor, 4)).toEqual([101, 103, 104, 2_000]);
  });

  it('has the blocks that the node leaves out of its lists', async () => {
    const node = createScriptedLedger(100);
    const cursor = await open(node).open(undefined);
    node.leftOut.add(102).add(103).add(105);
    node.grow(101, 102, 103, 104, 105, 106);
    expect(await take(cursor, 6)).toEqual([101, 102, 103, 104, 105, 106]);
  });

  it('has everything after the node was away', async () => {
    const node = createScriptedLedger(100);
    const failures: string[] = [];
    const cursor = await open(node, { onFailure: ({ code }) => void failures.push(code) }).open(undefined);
    const slots: number[] = [];
    for (let round = 0; round < 20; round++) {
      const next = 101 + 3 * round;
      node.isLost = true;
      const before = failures.length;
      await eventually('the loss is noticed', () => failures.length > before || undefined, { intervalMs: 1 });
      node.grow(next, next + 2);
      node.isLost = false;
      slots.push(...(await take(cursor, 2)));
    }
    expect(slots).toEqual(node.slots().slice(1));
    expect(new Set(failures)).toEqual(new Set(['upstreamUnavailable']));
  });

  it('shares one feed with the others: each block is read once', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node, { pace: streamPace({ pollMs: 60_000 }) });
    const cursors = await Promise.all(Array.from({ length: 50 }, () => hub.open(undefined)));
    const callsBefore = node.calls();
    expect(callsBefore).toBeLessThan(5);
    expect(hub.standing()).toMatchObject({ streams: 50 });
    for (const cursor of cursors) cursor.close();
    expect(hub.standing()).toMatchObject({ streams: 0 });
  });
});

describe('resuming', () => {
  it('continues after a slot from memory, without a hole and without a duplicate', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node);
    const first = await hub.open(undefined);
    node.grow(101, 102, 103, 105);
    await take(first, 4);
    const callsBefore = node.calls();
    const second = await hub.open(102n);
    expect(await take(second, 2)).toEqual([103, 105]);
    node.grow(106);
    expect(await take(second, 1)).toEqual([106]);
    expect(node.calls() - callsBefore).toBeLessThan(50);
  });

  it('reads from the node what memory no longer has, and continues from memory', async () => {
    const node = createScriptedLedger(1);
    node.grow(...Array.from({ length: 99 }, (_, index) => index + 2));
    const hub = open(node, { history: { maxSlots: 5, maxBytes: 10 ** 9 } });
    const live = await hub.open(undefined);
    node.grow(101, 102, 103);
    await take(live, 3);
    node.leftOut.add(52);
    const resumed = await hub.open(50n);
    expect(await take(resumed, 53)).toEqual(Array.from({ length: 53 }, (_, index) => index + 51));
    node.grow(104);
    expect(await take(resumed, 1)).toEqual([104]);
  });

  it('continues after a slot that was skipped', async () => {
    const node = createScriptedLedger(100);
    node.grow(101, 105, 106);
    const cursor = await open(node).open(103n);
    expect(await take(cursor, 2)).toEqual([105, 106]);
  });

  it('is refused with the oldest position that works, when the node has purged what comes after', async () => {
    const node = createScriptedLedger(10);
    node.grow(...Array.from({ length: 90 }, (_, index) => index + 11));
    node.purgeBelow(50);
    const hub = open(node);
    await expect(hub.open(48n)).rejects.toMatchObject({
      code: 'resumeSlotGone',
      context: { slot: 48n, oldestSlot: 49n },
    });
    expect(await take(await hub.open(49n), 2)).toEqual([50, 51]);
  });

  it('is refused when it would be more than may be asked for', async () => {
    const node = createScriptedLedger(10);
    node.grow(1_000);
    const hub = open(node, { pace: streamPace({ maxResumeSlots: 100 }) });
    await expect(hub.open(899n)).rejects.toMatchObject({ context: { slot: 899n, oldestSlot: 900n } });
    await expect(hub.open(900n)).resolves.toMatchObject({ position: 900n });
  });

  it('waits for a node that lags, and is refused a position that no node can lag behind', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node);
    await expect(hub.open(251n)).rejects.toMatchObject({ code: 'resumeSlotAhead' });
    const cursor = await hub.open(103n);
    node.grow(101, 102, 103, 104);
    expect(await take(cursor, 1)).toEqual([104]);
  });

  it('ends where its position turns out to be too far ahead, once the pace of the network is known', async () => {
    const node = createScriptedLedger(100);
    let maxAheadSlots = Number.POSITIVE_INFINITY;
    const hub = open(node, { pace: { ...streamPace(), maxAheadSlots: () => maxAheadSlots } });
    const [near, far] = [await hub.open(251n), await hub.open(252n)];
    const failed = failureOf(far);
    maxAheadSlots = 150;
    node.grow(101);
    expect(await failed).toMatchObject({
      code: 'resumeSlotAhead',
      context: { slot: 252n, newestSlot: 101n },
    });
    await expect(far.next()).rejects.toMatchObject({ code: 'resumeSlotAhead' });
    node.grow(251, 252);
    expect(await take(near, 1)).toEqual([252]);
  });

  it('ends when the node purges what is still to be read', async () => {
    const node = createScriptedLedger(1);
    node.grow(...Array.from({ length: 50 }, (_, index) => index + 2));
    const cursor = await open(node).open(10n);
    expect(await take(cursor, 1)).toEqual([11]);
    node.purgeBelow(30);
    await expect(cursor.next()).rejects.toMatchObject({
      code: 'resumeSlotGone',
      context: { oldestSlot: 29n },
    });
  });
});

describe('another ledger', () => {
  it('is noticed by the hash of the block before', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node);
    const cursor = await hub.open(undefined);
    node.grow(101);
    await take(cursor, 1);
    const failed = failureOf(cursor);
    node.beginAnew(102, 'fork');
    node.grow(103);
    expect(await failed).toMatchObject({ code: 'ledgerChanged', context: { slot: 101n } });
    expect((await hub.open(undefined)).position).toBe(103n);
  });

  it.each([
    ['its genesis', 'another', 0],
    ['the restart of the embedded ledger', 'genesis', 1],
  ])('is noticed by %s when it begins below', async (_, genesis, restarts) => {
    const node = createScriptedLedger(1_000);
    let generation = 0;
    const cursor = await open(node, { generation: () => generation }).open(undefined);
    const failed = failureOf(cursor);
    generation = restarts;
    node.beginAnew(0, genesis);
    expect(await failed).toMatchObject({ code: 'ledgerChanged' });
  });

  it('is not what a node is that lags', async () => {
    const node = createScriptedLedger(100);
    const cursor = await open(node).open(undefined);
    node.grow(101, 102);
    await take(cursor, 2);
    node.purgeBelow(0);
    const behind = createScriptedLedger(100);
    const { slotsFrom, confirmedSlot } = node;
    Object.assign(node, { slotsFrom: behind.slotsFrom, confirmedSlot: behind.confirmedSlot });
    const before = behind.calls();
    await eventually('the lagging node was asked often', () => behind.calls() > before + 40 || undefined);
    Object.assign(node, { slotsFrom, confirmedSlot });
    node.grow(103);
    expect(await take(cursor, 1)).toEqual([103]);
  });
});

describe('an idle server', () => {
  it('asks its node nothing before the first stream, nor once the last one has been gone for a while', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node, { lingerMs: 20 });
    expect(node.calls()).toBe(0);
    const cursor = await hub.open(undefined);
    node.grow(101);
    await take(cursor, 1);
    cursor.close();
    await eventually('the history is given back', () => hub.standing().slots === 0 || undefined);
    const callsAfter = node.calls();
    node.grow(102, 103);
    const resumed = await hub.open(101n);
    expect(await take(resumed, 2)).toEqual([102, 103]);
    expect(callsAfter).toBeGreaterThan(0);
  });

  it('tells new clients that the node cannot be reached, and serves as soon as it can', async () => {
    const node = createScriptedLedger(100);
    node.isLost = true;
    const hub = open(node);
    await expect(hub.open(undefined)).rejects.toMatchObject({ code: 'upstreamUnavailable' });
    node.isLost = false;
    await expect(hub.open(undefined)).resolves.toMatchObject({ position: 100n });
  });

  it('ends its streams with their positions when it stops, and opens none', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node);
    const cursor = await hub.open(undefined);
    const failed = failureOf(cursor);
    hub.close();
    expect(await failed).toMatchObject({ code: 'streamStopping', context: { slot: 100n } });
    await expect(hub.open(undefined)).rejects.toMatchObject({ code: 'streamStopping' });
  });
});
