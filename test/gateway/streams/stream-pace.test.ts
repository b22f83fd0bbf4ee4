import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStreamPace } from '../../../src/gateway/streams/stream-pace.ts';
import { Pace } from '../../../src/gateway/nodes/network/pace.ts';

type Settings = Parameters<typeof createStreamPace>[0];

const paceOf = (slotMs?: number): Pace => new Pace(() => 0, slotMs);

function figuresOf(slotMs?: number, settings: Settings = {}) {
  const { pollMs, maxLagSlots, maxResumeSlots, maxAheadSlots } = createStreamPace(settings, paceOf(slotMs));
  return [pollMs(), maxLagSlots(), maxResumeSlots(), maxAheadSlots()];
}

const NONE = Number.POSITIVE_INFINITY;

test.each([
  [undefined, [100, NONE, NONE, NONE]],
  [400, [200, 150, 9_000, 150]],
  [401, [200.5, 150, 8_978, 150]],
  [200, [100, 300, 18_000, 300]],
  [150, [75, 400, 24_000, 400]],
  [20, [10, 3_000, 180_000, 3_000]],
  [5, [10, 12_000, 720_000, 12_000]],
  [60_000, [30_000, 1, 60, 1]],
  [120_000, [30_000, 1, 30, 1]],
])('with slots of %s ms: half a slot to ask, a minute to lag, an hour to resume', (slotMs, figures) => {
  expect(figuresOf(slotMs)).toEqual(figures);
});

test.each<[Settings, readonly number[]]>([
  [{ poll_ms: 7 }, [7, 150, 9_000, 150]],
  [{ max_lag_slots: 1 }, [200, 1, 9_000, 150]],
  [{ max_resume_slots: 0 }, [200, 150, 0, 150]],
  [{ poll_ms: 60_000, max_lag_slots: 5, max_resume_slots: 3 }, [60_000, 5, 3, 150]],
])('what is set goes before it: %j', (settings, figures) => {
  expect(figuresOf(400, settings)).toEqual(figures);
  const [pollMs, maxLag, maxResume] = figuresOf(undefined, settings);
  expect([pollMs, maxLag, maxResume]).toEqual([
    settings.poll_ms ?? 100,
    settings.max_lag_slots ?? NONE,
    settings.max_resume_slots ?? NONE,
  ]);
});

test('it follows the pace as that changes', () => {
  const pace = paceOf();
  const stream = createStreamPace({}, pace);
  expect([stream.pollMs(), stream.maxLagSlots()]).toEqual([100, NONE]);
  pace.measure(150, 60_000, 'samples');
  expect([stream.pollMs(), stream.maxLagSlots()]).toEqual([200, 150]);
  pace.measure(300, 60_000, 'samples');
  expect([stream.pollMs(), stream.maxLagSlots()]).toEqual([100, 300]);
});

test('at any pace it is asked from each 10 ms to each 30 s, and at least a slot may be lagged', () => {
  const slotMs = fc.double({ min: 5, max: 120_000, noNaN: true });
  fc.assert(
    fc.property(slotMs, (length) => {
      const [pollMs = 0, lag = 0, resume = 0, ahead] = figuresOf(length);
      expect(pollMs).toBeGreaterThanOrEqual(10);
      expect(pollMs).toBeLessThanOrEqual(30_000);
      expect(Number.isInteger(lag) && lag * length >= 60_000 && (lag - 1) * length < 60_000).toBe(true);
      expect(resume).toBeGreaterThanOrEqual(lag);
      expect(ahead).toBe(lag);
    }),
  );
});
