import { describe, expect, it } from 'vitest';
import { failureOf, next, slots, until, useScriptedServer } from './use-scripted-server.ts';

const { server, clientOf, calls } = useScriptedServer();
const ADDRESS = '11111111111111111111111111111111';
const SIGNATURE = '1'.repeat(64);

const logs = (slot: number) => ({ context: { slot }, value: { signature: SIGNATURE, err: null, logs: [] } });

describe('a reader that is too slow', () => {
  it('is left with the latest slot, and told what it missed', async () => {
    const gaps: unknown[] = [];
    const client = clientOf({ maxWaiting: 2, onGap: (gap) => gaps.push(gap) });
    const subscription = await client.slotSubscribe();
    for (const slot of [40, 41, 42]) server().notify('slotNotification', 1, slots(slot));
    await client.rootSubscribe();
    expect(gaps).toEqual([]);
    expect(await next(subscription)).toMatchObject({ slot: 42n });
    expect(gaps).toEqual([
      { method: 'slotSubscribe', params: [], cause: 'slow-reader', fromSlot: 40n, toSlot: 41n },
    ]);
  });

  it('of logs gets what was waiting, then an error that names the bound', async () => {
    const subscription = await clientOf({ maxWaiting: 2 }).logsSubscribe('all');
    for (const slot of [40, 41, 42]) server().notify('logsNotification', 1, logs(slot));
    await until('it is ended', () => calls().includes('logsUnsubscribe'));
    const taken: unknown[] = [];
    const error = await failureOf(
      (async () => {
        for await (const { context } of subscription) taken.push(context.slot);
      })(),
    );
    expect(taken).toEqual([40n, 41n]);
    expect(error).toMatchObject({ method: 'logsSubscribe', failure: { kind: 'overflow', limit: 2 } });
  });
});

describe('a gap', () => {
  it('that the server announces is told to its subscriptions, before the notification that comes after it', async () => {
    const order: unknown[] = [];
    const client = clientOf({
      onGap: ({ method, cause, fromSlot, toSlot }) => order.push([method, cause, fromSlot, toSlot]),
    });
    const slotsTold = await client.slotSubscribe();
    await client.rootSubscribe();
    server().notify('slotNotification', 1, slots(40));
    for (const [fromSlot, toSlot] of [
      [41, 44],
      [45, 46],
    ])
      server().tell({
        jsonrpc: '2.0',
        method: 'gapNotification',
        params: { subscriptions: [1, 2, 3], fromSlot, toSlot },
      });
    server().notify('slotNotification', 1, slots(47));
    for await (const { slot } of slotsTold) {
      order.push(slot);
      if (slot === 47n) break;
    }
    expect(order).toEqual([40n, ['slotSubscribe', 'server', 41n, 46n], 47n]);
  });

  it('tells where the ledger is another one', async () => {
    const gaps: unknown[] = [];
    const subscription = await clientOf({ onGap: (gap) => gaps.push(gap) }).rootSubscribe();
    server().tell({
      jsonrpc: '2.0',
      method: 'gapNotification',
      params: { subscriptions: [1], fromSlot: 1, toSlot: 2, genesisHash: ADDRESS },
    });
    server().notify('rootNotification', 1, 3);
    await next(subscription);
    expect(gaps).toEqual([expect.objectContaining({ cause: 'server', genesisHash: ADDRESS })]);
  });
});
