import type { Tracing } from '../base/tracing.ts';
import type { PrioritizedStore, Store } from './open-store.ts';

const SPAN = { name: 'store transaction' } as const;

/** Puts each transaction, and statements that are sent together, in a span. Single statements have none. */
export function withStoreSpans(store: PrioritizedStore, tracing: Tracing | undefined): PrioritizedStore {
  if (tracing === undefined) return store;
  const traced = (lane: Store): Store => ({
    ...lane,
    transaction: (work, config) => tracing.part(SPAN, () => lane.transaction(work, config)),
    together: (begin) => tracing.part(SPAN, () => lane.together(begin)),
  });
  const prioritized = (lanes: PrioritizedStore): PrioritizedStore => ({
    ...traced(lanes),
    lowPriority: traced(lanes.lowPriority),
    ofAccount: (accountId) => prioritized(lanes.ofAccount(accountId)),
  });
  return prioritized(store);
}
