import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLagWatch } from '../../../../src/gateway/streams/shared/shared-feed.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Shows a slot each second from slot 1 on, of which those up to `delay` slots ago are published. */
function watchFor(seconds: number, delay: number) {
  let shown = 0n;
  const watch = createLagWatch({ shownSlot: () => shown, boundMs: () => 5_000 });
  return Array.from({ length: seconds }, () => {
    vi.advanceTimersByTime(1_000);
    shown++;
    return watch.isLate(shown > delay ? shown - BigInt(delay) : 0n);
  });
}

test('blocks are late that are published longer than the bound after they were shown', () => {
  expect(watchFor(60, 4)).not.toContain(true);
  expect(watchFor(60, 12).slice(0, 5)).not.toContain(true);
  expect(watchFor(60, 12)).toContain(true);
});

test('a ledger that stands still everywhere, and nodes of which nothing is known, make nobody late', () => {
  const still = createLagWatch({ shownSlot: () => 100n, boundMs: () => 5_000 });
  const unknown = createLagWatch({ shownSlot: () => undefined, boundMs: () => 5_000 });
  for (const _ of Array.from({ length: 60 })) {
    vi.advanceTimersByTime(1_000);
    expect([still.isLate(100n), unknown.isLate(50n)]).toEqual([false, false]);
  }
});
