import fc from 'fast-check';
import type { Commitment } from '../../../../src/core/rpc/commitment.ts';
import type { Step } from './play-history.ts';

const key = fc.constantFrom('k1', 'k2');
const commitment = fc.constantFrom<Commitment>('processed', 'confirmed', 'finalized');
/** The nodes of the chain; a fourth one has another. */
const node = fc.nat(2);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      key,
      commitment,
      method: fc.constantFrom('getBalance', 'getSlot', 'getLatestBlockhash'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('batch' as const), key, commitment }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shown' as const), key, node, commitment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('send' as const), key }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      node,
      lag: fc.constantFrom(0, 0, 1, 3, 8, 20, 200),
      forked: fc.constantFrom(0, 0, 0, 1, 2),
      fault: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        'refuses',
        'breaks',
        'hangs',
        'internal',
        'busy',
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(10, 200, 1_100, 5_000) }),
  },
);

/** Calls of two keys over the three protocols, between which nodes lag, take another fork, die and return. */
export const history = fc.array(step, { minLength: 5, maxLength: 40 });
