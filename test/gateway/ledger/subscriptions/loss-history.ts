import fc from 'fast-check';
import type { LossStep, Watched } from './play-losses.ts';

const state = fc.record({
  lag: fc.constantFrom(0, 0, 1, 3, 20, 60),
  age: fc.constantFrom(0, 0, 0, 1, 5, 40),
  stale: fc.constantFrom(0, 0, 0, 1, 5, 40),
  quietMs: fc.constantFrom(0, 0, 0, 900, 1_100, 5_000),
});
const step: fc.Arbitrary<LossStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('slots' as const),
      count: fc.integer({ min: 1, max: 12 }),
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
/** The subscription that is watched. */
export const watched = fc.constantFrom<Watched>(
  'accountSubscribe',
  'logsSubscribe',
  'programSubscribe',
  'slotSubscribe',
);
/** Slots that change an account, between which its subscription moves to nodes that are elsewhere. */
export const history = fc.array(step, { minLength: 2, maxLength: 16 });
