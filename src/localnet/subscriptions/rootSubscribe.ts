import type { LocalnetSubscription } from './subscription.ts';

/** Notifies when a slot is finalized. */
export const rootSubscribe: LocalnetSubscription<'rootSubscribe'> = () => ({
  key: [],
  watch: { kind: 'slot', notify: ({ finalized }) => [finalized.slot] },
});
