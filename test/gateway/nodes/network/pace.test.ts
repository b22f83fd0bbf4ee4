import fc from 'fast-check';
import { rounds } from '../../../support/tier.ts';
import { describe, expect, test } from 'vitest';
import { Pace } from '../../../../src/gateway/nodes/network/pace.ts';

const SHORTEST_MS = 5;
const LONGEST_MS = 120_000;

/** A pace, and the time by which it measures. */
function newPace(settingMs?: number) {
  let nowMs = 1_000;
  const pace = new Pace(() => nowMs, settingMs);
  const announceAfter = (ms: number, slot: number): void => {
    nowMs += ms;
    pace.announce(slot);
  };
  /** Announces slots of a length for a time; `first` is announced at once. @returns the last one. */
  const run = (slotMs: number, ms: number, first: number): number => {
    const slots = Math.ceil(ms / slotMs);
    for (let slot = 0; slot <= slots; slot++) announceAfter(slot === 0 ? 0 : slotMs, first + slot);
    return first + slots;
  };
  return { pace, announceAfter, run };
}

test('before anything is known there is no length, and no count of slots', () => {
  const { pace } = newPace();
  expect([pace.slotMs, pace.slotsIn(60_000), pace.isAnnounced]).toEqual([undefined, undefined, false]);
  expect(pace.standing()).toEqual({ slotMs: null, source: null });
});

test('what is set holds until it is measured', () => {
  const { pace, run } = newPace(200);
  expect(pace.standing()).toEqual({ slotMs: 200, source: 'setting' });
  run(400, 4_999, 0);
  expect([pace.slotMs, pace.isAnnounced]).toEqual([400, true]);
});

test('notifications tell it after five seconds, not before', () => {
  const { pace, announceAfter } = newPace();
  announceAfter(0, 100);
  announceAfter(4_999, 110);
  expect([pace.slotMs, pace.isAnnounced]).toEqual([undefined, false]);
  announceAfter(1, 110);
  expect([pace.standing(), pace.isAnnounced]).toEqual([{ slotMs: 500, source: 'notifications' }, true]);
});

test('two slots tell it, one does not, however long it takes', () => {
  const { pace, announceAfter } = newPace();
  announceAfter(0, 100);
  announceAfter(30_000, 101);
  expect(pace.slotMs).toBeUndefined();
  announceAfter(30_000, 102);
  expect(pace.slotMs).toBe(30_000);
});

test.each([
  [60_000, 400, 150],
  [60_000, 401, 150],
  [3_600_000, 400, 9_000],
  [1, 400, 1],
  [0, 400, 0],
])('in %d ms begin slots of %d ms: %d', (ms, slotMs, slots) => {
  expect(newPace(slotMs).pace.slotsIn(ms)).toBe(slots);
});

test('samples decide before notifications tell it, and after their node is lost, not between', () => {
  const { pace, run } = newPace();
  expect(pace.measure(150, 60_000, 'samples')).toBe(true);
  expect([pace.standing(), pace.isAnnounced]).toEqual([{ slotMs: 400, source: 'samples' }, false]);
  run(300, 6_000, 0);
  expect([pace.slotMs, pace.isAnnounced]).toEqual([300, true]);
  pace.forget();
  expect([pace.standing(), pace.isAnnounced]).toEqual([{ slotMs: 300, source: 'notifications' }, false]);
  pace.measure(20, 10_000, 'slots');
  expect(pace.standing()).toEqual({ slotMs: 500, source: 'slots' });
});

test.each([
  ['no slots', 0, 60_000],
  ['slots backwards', -5, 60_000],
  ['both backwards', -5, -60_000],
  ['no time', 5, 0],
  ['time backwards', 5, -1],
  ['less than 5 ms', 1_000, 4_999],
  ['more than two minutes', 1, 120_001],
  ['what has no end', 5, Number.POSITIVE_INFINITY],
  ['slots without end', Number.POSITIVE_INFINITY, 60_000],
  ['all of it', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ['no numbers', Number.NaN, Number.NaN],
])('%s is not taken', (_what, slots, ms) => {
  const { pace } = newPace(400);
  expect(pace.measure(slots, ms, 'samples')).toBe(false);
  expect(pace.standing()).toEqual({ slotMs: 400, source: 'setting' });
});

test.each([
  [1_000, 5_000, SHORTEST_MS],
  [1, 120_000, LONGEST_MS],
])('%d slots in %d ms are taken', (slots, ms, slotMs) => {
  const { pace } = newPace();
  expect([pace.measure(slots, ms, 'slots'), pace.slotMs]).toEqual([true, slotMs]);
});

describe('a chain', () => {
  test('whose forks are announced now and then keeps its pace', () => {
    const { pace, announceAfter } = newPace();
    for (let slot = 200; slot < 500; slot++) {
      announceAfter(400, slot);
      if (slot % 7 === 0) announceAfter(0, slot - 3);
      if (slot % 50 === 0) announceAfter(0, slot - 64);
    }
    expect(pace.slotMs).toBeCloseTo(400, 6);
  });

  test('that starts again, or another one, is measured again; until then the known pace holds', () => {
    const { pace, run, announceAfter } = newPace();
    const last = run(400, 30_000, 1_000);
    announceAfter(400, last - 65);
    expect([pace.slotMs, pace.isAnnounced]).toEqual([400, true]);
    run(200, 4_000, last - 65);
    expect(pace.slotMs).toBe(400);
    run(200, 1_000, last - 45);
    expect(pace.slotMs).toBeCloseTo(200, 6);
  });

  test('whose slots become shorter is known to within a minute', () => {
    const { pace, run } = newPace();
    const last = run(400, 120_000, 0);
    run(200, 62_000, last);
    expect(pace.slotMs).toBeCloseTo(200, 6);
  });

  test('that stands still becomes slower, and sixty notices later is what it was', () => {
    const { pace, run, announceAfter } = newPace();
    const last = run(400, 60_000, 0);
    announceAfter(60_000, last + 1);
    expect(pace.slotMs).toBeGreaterThan(700);
    run(400, 75_000, last + 1);
    expect(pace.slotMs).toBeCloseTo(400, 6);
  });
});

test.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 2 ** 53])(
  'a slot %d is none',
  (announced) => {
    const { pace, run, announceAfter } = newPace();
    const last = run(400, 10_000, 0);
    announceAfter(100, announced);
    expect(pace.slotMs).toBe(400);
    run(400, 10_000, last);
    expect(pace.slotMs).toBeGreaterThan(390);
    expect(pace.slotMs).toBeLessThan(410);
  },
);

const step = fc.oneof(
  fc.record({
    kind: fc.constant('announce' as const),
    afterMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 10_000_000 })),
    by: fc.oneof(
      fc.integer({ min: -3, max: 8 }),
      fc.integer({ min: -1_000_000, max: 1_000_000 }),
      fc.double(),
    ),
  }),
  fc.record({ kind: fc.constant('measure' as const), slots: fc.double(), ms: fc.double() }),
  fc.record({ kind: fc.constant('forget' as const) }),
);

test('whatever is announced and sampled, a slot takes from 5 ms to two minutes, and what is known stays known', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { pace, announceAfter } = newPace();
      let slot = 1_000_000;
      let wasKnown = false;
      for (const each of steps) {
        if (each.kind === 'announce') {
          const next = slot + each.by;
          announceAfter(each.afterMs, next);
          if (Number.isSafeInteger(next)) slot = next;
        } else if (each.kind === 'measure') pace.measure(each.slots, each.ms, 'samples');
        else pace.forget();
        const { slotMs } = pace;
        expect(pace.standing().slotMs).toBe(slotMs ?? null);
        if (wasKnown) expect(slotMs).toBeDefined();
        if (slotMs === undefined) continue;
        wasKnown = true;
        expect(slotMs).toBeGreaterThanOrEqual(SHORTEST_MS);
        expect(slotMs).toBeLessThanOrEqual(LONGEST_MS);
        expect(pace.slotsIn(60_000)).toBeGreaterThanOrEqual(1);
      }
    }),
    { numRuns: rounds(300) },
  );
});

test('after any beginning, sixty notices of even slots, with gaps, forks and delays, tell their length to a twentieth', () => {
  const slotMs = fc.integer({ min: 50, max: 2_000 });
  const beginning = fc.array(fc.tuple(fc.nat(20_000), fc.nat(500)), { maxLength: 60 });
  const delay = fc.double({ min: 0, max: 1, noNaN: true });
  /** Events of slots, repeated: at least one in four is announced. */
  const noise = fc.array(fc.record({ isSkipped: fc.boolean(), isFork: fc.boolean(), delay }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(slotMs, beginning, noise, (length, before, noises) => {
      const { pace, announceAfter } = newPace();
      let first = 0;
      for (const [afterMs, by] of before) {
        first += by;
        announceAfter(afterMs, first);
      }
      const slots = 62 * 4 * Math.ceil(1_000 / length);
      let saidMs = 0;
      for (let slot = 1; slot <= slots; slot++) {
        const noisy = noises[slot % noises.length];
        if (noisy?.isSkipped === true && slot % noises.length !== 0) continue;
        const atMs = (slot + (noisy?.delay ?? 0)) * length;
        announceAfter(atMs - saidMs, first + slot);
        if (noisy?.isFork === true) announceAfter(0, Math.max(0, first + slot - 2));
        saidMs = atMs;
      }
      expect(Math.abs((pace.slotMs ?? 0) - length)).toBeLessThanOrEqual(length / 20);
    }),
    { numRuns: rounds(100) },
  );
});
