import { describe, expect, it } from 'vitest';
import { failureOf, open, take } from './open-hub.ts';
import { createScriptedLedger } from './scripted-ledger.ts';
import { streamPace } from '../../support/stream-pace.ts';

describe('a slow reader', () => {
  it('is let go with its position when more blocks come than it may leave unread', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node, { pace: streamPace({ maxLagSlots: 3 }) });
    const cursor = await hub.open(undefined);
    const watcher = await hub.open(undefined);
    node.grow(101);
    const [entry] = await Promise.all([cursor.next(), take(watcher, 1)]);
    node.grow(102, 103);
    await take(watcher, 2);
    cursor.done(entry);
    const failed = failureOf(cursor);
    node.grow(104, 105);
    await take(watcher, 2);
    expect(await failed).toMatchObject({ code: 'streamTooSlow', context: { slot: 101n } });
  });

  it('is let go when it keeps reading and yet falls behind what is in memory', async () => {
    const node = createScriptedLedger(100);
    const hub = open(node, {
      pace: streamPace({ maxLagSlots: 3 }),
      history: { maxSlots: 4, maxBytes: 10 ** 9 },
    });
    const [cursor, watcher] = [await hub.open(undefined), await hub.open(undefined)];
    node.grow(101);
    await Promise.all([take(cursor, 1), take(watcher, 1)]);
    const failed = failureOf(cursor);
    let isOver = false;
    void failed.then(() => {
      isOver = true;
    });
    for (let slot = 102; !isOver && slot < 150; slot += 2) {
      node.grow(slot, slot + 1);
      await take(watcher, 2);
      if (!isOver) await take(cursor, 1).catch(() => undefined);
    }
    expect(await failed).toMatchObject({ code: 'streamTooSlow' });
    expect(cursor.position).toBeGreaterThan(102n);
  });

  it('is not what a stream is that a node which was away makes fall behind', async () => {
    const node = createScriptedLedger(100);
    const cursor = await open(node, { pace: streamPace({ maxLagSlots: 3 }) }).open(undefined);
    node.grow(...Array.from({ length: 200 }, (_, index) => 101 + index));
    expect(await take(cursor, 200)).toHaveLength(200);
  });

  it('is let go too when it never read since it resumed', async () => {
    const node = createScriptedLedger(1);
    node.grow(...Array.from({ length: 50 }, (_, index) => index + 2));
    const hub = open(node, { pace: streamPace({ maxLagSlots: 3 }) });
    const stalled = await hub.open(10n);
    await stalled.next();
    const watcher = await hub.open(undefined);
    const failed = failureOf(stalled);
    for (const slot of [52, 53, 54, 55]) {
      node.grow(slot);
      await take(watcher, 1);
    }
    expect(await failed).toMatchObject({ code: 'streamTooSlow', context: { slot: 10n } });
  });

  it('is not what a stream is that catches up from far behind', async () => {
    const node = createScriptedLedger(1);
    node.grow(...Array.from({ length: 50 }, (_, index) => index + 2));
    const cursor = await open(node, { pace: streamPace({ maxLagSlots: 3 }) }).open(1n);
    expect(await take(cursor, 50)).toHaveLength(50);
  });
});
