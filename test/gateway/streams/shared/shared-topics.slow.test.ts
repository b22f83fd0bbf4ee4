import { createSecretKey } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { ServiceError } from '../../../../src/core/service-error.ts';
import { startCutProxy } from '../../../lab/faults/cut-proxy.ts';
import type { Cursor } from '../../../../src/gateway/streams/cursor.ts';
import { take } from '../open-hub.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { REDIS_URL, SHARING_MISSING } from './open-gateway.ts';
import { becomes, slotsFrom, takeEach, useTopicGateways } from './use-topic-gateways.ts';

if (SHARING_MISSING === undefined) describe('topics of two gateways', share);
else test('topics of two gateways', (context) => context.skip(SHARING_MISSING));

function share(): void {
  const { open, openBoth, closeAll, forgetShared } = useTopicGateways();

  test('one of them reads the ledger, and both have its blocks at the same positions', async () => {
    const ledger = createScriptedLedger(100);
    const { one, other, first, second } = await openBoth(ledger);
    ledger.grow(101, 103, 104);
    expect(await takeEach([first, second], 3)).toEqual([
      [101, 103, 104],
      [101, 103, 104],
    ]);
    await becomes(one, { source: 'shared', isReader: true });
    await becomes(other, { source: 'shared', isReader: false });
    const before = [one, other].map(({ asked }) => asked());
    ledger.grow(...slotsFrom(105, 40));
    const [ofOne, ofOther] = await takeEach([first, second], 40);
    expect(ofOther).toEqual(ofOne);
    expect(ofOne).toEqual(slotsFrom(105, 40));
    expect([one, other].map(({ asked }, at) => asked() - (before[at] ?? 0))).toEqual([40, 0]);
  });

  test('a stream continues at the other one, though no node has its blocks any more', async () => {
    const ledger = createScriptedLedger(100);
    const one = await open({ ledger });
    const first = await one.hub.open(undefined);
    await becomes(one, { isReader: true });
    ledger.grow(...slotsFrom(101, 20));
    await take(first, 10);
    const { position } = first;
    await eventually('all are shared', () => one.shared.kept.after(119n));
    ledger.purgeBelow(120);
    await one.close();
    const other = await open({ ledger });
    const mayRefill = async (): Promise<never> => {
      throw new Error('a block was asked of the node');
    };
    const resumed = await other.hub.open(position, mayRefill);
    expect(await take(resumed, 10)).toEqual(slotsFrom(111, 10));
    ledger.grow(121, 122);
    expect(await take(resumed, 2)).toEqual([121, 122]);
    const tooEarly = (await other.hub.open(99n).catch((error: unknown) => error)) as ServiceError;
    expect([tooEarly.code, tooEarly.context]).toEqual(['resumeSlotGone', { slot: 99n, oldestSlot: 100n }]);
  });

  test('blocks that another installation has written are asked of the node, and said in the log', async () => {
    const ledger = createScriptedLedger(100);
    const one = await open({ ledger });
    const first = await one.hub.open(undefined);
    await becomes(one, { isReader: true });
    const key = createSecretKey(Buffer.alloc(32, 8));
    const other = await open({ ledger, key, stallMs: 200 });
    const second = await other.hub.open(undefined);
    ledger.grow(...slotsFrom(101, 5));
    expect(await takeEach([first, second], 5)).toEqual([slotsFrom(101, 5), slotsFrom(101, 5)]);
    expect([one.asked(), other.asked()]).toEqual([5, 5]);
    expect(one.failures).toEqual([]);
    expect(other.failures.map(({ code }) => code)).toContain('upstreamBroken');
  });

  test('when the reader loses the store the other one reads within seconds, and nobody misses a block', async () => {
    const ledger = createScriptedLedger(100);
    const { one, other, first, second } = await openBoth(ledger);
    ledger.grow(101);
    await takeEach([first, second], 1);
    const sinceMs = performance.now();
    one.isCutOff = true;
    await becomes(other, { isReader: true });
    expect(performance.now() - sinceMs).toBeLessThan(15_000);
    ledger.grow(...slotsFrom(102, 20));
    const both = await takeEach([first, second], 20);
    expect(both).toEqual([slotsFrom(102, 20), slotsFrom(102, 20)]);
    await becomes(one, { isReader: false });
    expect(other.asked()).toBe(20);
  });

  test('a reader whose node does not answer leaves it to the other one', async () => {
    const [scripted, ledger] = [createScriptedLedger(100), createScriptedLedger(100)];
    let isHung = false;
    const hangs: typeof scripted = {
      ...scripted,
      slotsFrom: (...given) => (isHung ? new Promise(() => undefined) : scripted.slotsFrom(...given)),
    };
    const [one, other] = [await open({ ledger: hangs, failingMs: 500 }), await open({ ledger })];
    await one.hub.open(undefined);
    await becomes(one, { isReader: true });
    const second = await other.hub.open(undefined);
    isHung = true;
    ledger.grow(...slotsFrom(101, 5));
    await becomes(other, { isReader: true });
    expect(await take(second, 5)).toEqual(slotsFrom(101, 5));
  });

  test('a reader whose node is lost leaves it to the other one', async () => {
    const [lost, ledger] = [createScriptedLedger(100), createScriptedLedger(100)];
    const [one, other] = [await open({ ledger: lost, failingMs: 500 }), await open({ ledger })];
    const first = await one.hub.open(undefined);
    await becomes(one, { isReader: true });
    const second = await other.hub.open(undefined);
    lost.isLost = true;
    ledger.grow(...slotsFrom(101, 5));
    await becomes(other, { isReader: true });
    expect(await takeEach([first, second], 5)).toEqual([slotsFrom(101, 5), slotsFrom(101, 5)]);
  });

  test('while Redis is lost each reads for itself, and continues with shared blocks when it is back, empty', async () => {
    const ledger = createScriptedLedger(100);
    const proxy = await startCutProxy(Number(new URL(REDIS_URL).port || 6379));
    try {
      const { one, other, first, second } = await openBoth(ledger, {
        url: `redis://127.0.0.1:${proxy.port}`,
        stallMs: 5_000,
      });
      ledger.grow(...slotsFrom(101, 5));
      await takeEach([first, second], 5);
      proxy.isDown = true;
      proxy.cut();
      ledger.grow(...slotsFrom(106, 5));
      expect(await takeEach([first, second], 5)).toEqual([slotsFrom(106, 5), slotsFrom(106, 5)]);
      await Promise.all([becomes(one, { source: 'own' }), becomes(other, { source: 'own' })]);
      await forgetShared();
      proxy.isDown = false;
      let next = 111;
      await eventually('blocks are shared again', async () => {
        ledger.grow(next);
        expect(await takeEach([first, second], 1)).toEqual([[next], [next]]);
        next++;
        const sources = [one, other].map(({ shared }) => shared.standing().source);
        return sources.every((source) => source === 'shared') || undefined;
      });
    } finally {
      await closeAll();
      await proxy.close();
    }
  });

  test('while the store is lost nobody reads for all, and each reads for itself', async () => {
    const ledger = createScriptedLedger(100);
    const { one, other, first, second } = await openBoth(ledger, { stallMs: 200 });
    one.isCutOff = other.isCutOff = true;
    await becomes(one, { isReader: false });
    ledger.grow(...slotsFrom(101, 5));
    expect(await takeEach([first, second], 5)).toEqual([slotsFrom(101, 5), slotsFrom(101, 5)]);
    await Promise.all([one, other].map((each) => becomes(each, { source: 'own', isReader: false })));
    one.isCutOff = false;
    await becomes(one, { isReader: true });
    ledger.grow(106);
    expect(await takeEach([first, second], 1)).toEqual([[106], [106]]);
    await becomes(other, { source: 'shared' });
  });

  test('a stream that resumes where only a lost Redis may go is told to try again, not that it is gone', async () => {
    const ledger = createScriptedLedger(100);
    const proxy = await startCutProxy(Number(new URL(REDIS_URL).port || 6379));
    try {
      const url = `redis://127.0.0.1:${proxy.port}`;
      const one = await open({ ledger });
      const first = await one.hub.open(undefined);
      await becomes(one, { isReader: true });
      ledger.grow(...slotsFrom(101, 10));
      await take(first, 10);
      await eventually('all are shared', () => one.shared.kept.after(109n));
      ledger.purgeBelow(110);
      const other = await open({ ledger, url });
      proxy.isDown = true;
      proxy.cut();
      const codeOf = (resuming: Promise<Cursor>) => resuming.catch(({ code }: ServiceError) => code);
      expect(await codeOf(other.hub.open(103n))).toBe('upstreamUnavailable');
      proxy.isDown = false;
      await eventually('Redis is back', () => other.isUp() || undefined);
      expect(await take(await other.hub.open(103n), 7)).toEqual(slotsFrom(104, 7));
      expect(await codeOf(other.hub.open(99n))).toBe('resumeSlotGone');
    } finally {
      await closeAll();
      await proxy.close();
    }
  });

  test('a gateway whose node hangs ends at once', async () => {
    let hanging = 0;
    const slotsFrom = (): Promise<never> => {
      hanging++;
      return new Promise(() => undefined);
    };
    const one = await open({ ledger: { ...createScriptedLedger(100), slotsFrom }, stallMs: 1 });
    await one.hub.open(undefined);
    await eventually('it reads for all, and for itself', () => hanging === 2 || undefined);
    const isClosed = closeAll().then(() => true);
    expect(await Promise.race([isClosed, pause(10_000, false)])).toBe(true);
  });

  test('a fork that the shared blocks are on ends streams as it does with one gateway', async () => {
    const ledger = createScriptedLedger(100);
    const { first, second } = await openBoth(ledger, { stallMs: 500 });
    ledger.grow(101, 102);
    await takeEach([first, second], 2);
    ledger.takeFork(103);
    const codes = [first, second].map((cursor) => cursor.next().catch(({ code }: ServiceError) => code));
    expect(await Promise.all(codes)).toEqual(['ledgerChanged', 'ledgerChanged']);
  });
}
