import type { LocalnetSubscription } from './subscription.ts';

/** Told when a slot is finalized. */
export const rootSubscribe: LocalnetSubscription<'rootSubscribe'> = () => ({
  key: [],
  watch: { kind: 'slot', tell: ({ finalized }) => [finalized.slot] },
});
