import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rounds } from '../../support/rounds.ts';
import { type LossStep, playLosses, type Watched } from './play-losses.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

const state = fc.record({
  lag: fc.constantFrom(0, 0, 1, 3, 20, 60),
  age: fc.constantFrom(0, 0, 0, 1, 5, 40),
  stale: fc.constantFrom(0, 0, 0, 1, 5, 40),
});
const step: fc.Arbitrary<LossStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ kind: fc.constant('slots' as const), count: fc.integer({ min: 1, max: 12 }) },
      changes: fc.uniqueArray(fc.nat(11), { maxLength: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('move' as const), to: state, isLostMeanwhile: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hold' as const), isHeld: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(10, 1_100, 5_000) }),
  },
);
const watched = fc.constantFrom<Watched>(
  'accountSubscribe',
  'logsSubscribe',
  'programSubscribe',
  'slotSubscribe',
);
const history = fc.array(step, { minLength: 2, maxLength: 16 });

test('however nodes lag, answer older states, hold back and are lost, nothing is left out without a gap', async () => {
  await fc.assert(
    fc.asyncProperty(watched, history, async (name, steps) => {
      expect(await playLosses(name, steps)).toEqual([]);
    }),
    { numRuns: rounds(300) },
  );
}, 900_000);
