import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { createScriptedLedger, type ScriptedLedger } from '../scripted-ledger.ts';
import { take } from '../open-hub.ts';
import { SHARING_MISSING } from './open-gateway.ts';
import { becomes, slotsFrom, takeEach, useTopicGateways } from './use-topic-gateways.ts';

if (SHARING_MISSING === undefined) describe('gateways whose nodes hang or lag', share);
else test('gateways whose nodes hang or lag', (context) => context.skip(SHARING_MISSING));

/** The same blocks from a node that does not answer. `hanging` counts what it was asked for. */
function hangingNode(ledger: ScriptedLedger) {
  const node = { hanging: 0 };
  const hang = (): Promise<never> => {
    node.hanging++;
    return new Promise(() => undefined);
  };
  return Object.assign(node, { ledger: { ...ledger, slotsFrom: hang, block: hang } });
}

function share(): void {
  const { openBoth } = useTopicGateways();

  test('a gateway takes shared blocks while a call to its own node hangs', async () => {
    const ledger = createScriptedLedger(100);
    const node = hangingNode(ledger);
    const { other, first, second } = await openBoth(ledger, {}, { ledger: node.ledger, stallMs: 100 });
    await eventually('it asks its node', () => node.hanging > 0 || undefined);
    ledger.grow(...slotsFrom(101, 5));
    expect(await takeEach([first, second], 5)).toEqual([slotsFrom(101, 5), slotsFrom(101, 5)]);
    expect(node.hanging).toBe(1);
    await becomes(other, { source: 'shared' });
    ledger.grow(106);
    expect(await take(second, 1)).toEqual([106]);
  });

  test('a reader whose node stands still is replaced by a gateway whose node continues', async () => {
    const [still, ledger] = [createScriptedLedger(100), createScriptedLedger(100)];
    const { one, other, first, second } = await openBoth(
      still,
      { stallMs: 300, leastTermMs: 300 },
      { ledger },
    );
    ledger.grow(...slotsFrom(101, 10));
    await becomes(other, { isReader: true });
    await becomes(one, { isReader: false });
    expect(await takeEach([first, second], 10)).toEqual([slotsFrom(101, 10), slotsFrom(101, 10)]);
    await becomes(other, { source: 'shared' });
    ledger.grow(111);
    expect(await takeEach([first, second], 1)).toEqual([[111], [111]]);
    await becomes(one, { source: 'shared', isReader: false });
  });

  test('a reader whose node lags is replaced, and does not come back while it does', async () => {
    const [lagging, ledger] = [createScriptedLedger(100), createScriptedLedger(100)];
    const { one, other, first, second } = await openBoth(
      lagging,
      { stallMs: 300, leastTermMs: 300 },
      { ledger },
    );
    let newest = 100;
    const growBoth = (): void => {
      ledger.grow(++newest);
      if (newest > 130) lagging.grow(newest - 30);
    };
    await eventually('the other one reads', () => {
      growBoth();
      return other.shared.standing().isReader || undefined;
    });
    let [until, lookedMs, stoodStillMs] = [newest + 60, performance.now(), Number.NEGATIVE_INFINITY];
    await eventually('more slots', () => {
      growBoth();
      const nowMs = performance.now();
      if (nowMs - lookedMs > 1_000) stoodStillMs = nowMs;
      lookedMs = nowMs;
      // A process that stood still has not renewed its term: the other one may have it for a while.
      if (nowMs - stoodStillMs < 5_000) until = newest + 60;
      else expect(other.shared.standing().isReader).toBe(true);
      return newest >= until || undefined;
    });
    const all = slotsFrom(101, until - 100);
    expect(await takeEach([first, second], all.length)).toEqual([all, all]);
    await becomes(one, { isReader: false });
  });

  test('a reader that has just begun is left the reading: the other one reads for itself meanwhile', async () => {
    const [still, ledger] = [createScriptedLedger(100), createScriptedLedger(100)];
    const { one, other, first, second } = await openBoth(still, { stallMs: 300 }, { ledger });
    ledger.grow(...slotsFrom(101, 10));
    await becomes(other, { source: 'own' });
    expect(await take(second, 10)).toEqual(slotsFrom(101, 10));
    const standings = [one, other].map(({ shared }) => shared.standing());
    expect(standings).toEqual([
      expect.objectContaining({ isReader: true }),
      { source: 'own', isReader: false },
    ]);
    still.grow(...slotsFrom(101, 10));
    expect(await take(first, 10)).toEqual(slotsFrom(101, 10));
    await becomes(other, { source: 'shared' });
  });
}
