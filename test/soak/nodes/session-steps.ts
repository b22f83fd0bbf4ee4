import fc from 'fast-check';
import type { Commitment } from '../../../src/rpc/commitment.ts';

export type SessionStep =
  | {
      readonly kind: 'read';
      readonly over: 'http' | 'socket';
      readonly method: 'getBalance' | 'getSlot' | 'getLatestBlockhash' | 'getAccountInfo' | 'getBlockHeight';
      readonly commitment: Commitment;
    }
  | { readonly kind: 'batch'; readonly commitment: Commitment }
  | {
      readonly kind: 'subscribe';
      readonly method: 'accountSubscribe' | 'slotSubscribe' | 'rootSubscribe';
      readonly commitment: Exclude<Commitment, 'processed'>;
    }
  | { readonly kind: 'stream' | 'listen' | 'send' };

const commitment = fc.constantFrom<Commitment>('processed', 'confirmed', 'finalized');
const step: fc.Arbitrary<SessionStep> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      ...{ kind: fc.constant('read' as const), over: fc.constantFrom('http' as const, 'socket' as const) },
      ...{ commitment },
      method: fc.constantFrom(
        ...(['getBalance', 'getSlot', 'getLatestBlockhash', 'getAccountInfo', 'getBlockHeight'] as const),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('batch' as const), commitment }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      method: fc.constantFrom(...(['accountSubscribe', 'slotSubscribe', 'rootSubscribe'] as const)),
      commitment: fc.constantFrom('confirmed' as const, 'finalized' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stream' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('listen' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('send' as const) }) },
);

/** What the user of a server does: calls over HTTP and WebSocket, subscriptions and topic streams. */
export const sessionSteps: fc.Arbitrary<readonly SessionStep[]> = fc.array(step, {
  minLength: 4,
  maxLength: 14,
});
