import type { Tracing } from '../core/tracing.ts';
import type { PrioritizedStore, Store } from './open-store.ts';

const SPAN = { name: 'store transaction' } as const;

/** Puts each transaction, and each batch of statements, in a span. Single statements have none. */
export function withStoreSpans(store: PrioritizedStore, tracing: Tracing | undefined): PrioritizedStore {
  if (tracing === undefined) return store;
  const traced = ({ ofAccount, ...lane }: Store): Store => ({
    ...lane,
    ...(ofAccount && { ofAccount: (accountId: string) => traced(ofAccount(accountId)) }),
    transaction: (work) => tracing.part(SPAN, () => lane.transaction(work)),
    batched: (begin) => tracing.part(SPAN, () => lane.batched(begin)),
  });
  const prioritized = (lanes: PrioritizedStore): PrioritizedStore => ({
    ...traced(lanes),
    lowPriority: traced(lanes.lowPriority),
    ofAccount: (accountId) => prioritized(lanes.ofAccount(accountId)),
  });
  return prioritized(store);
}
