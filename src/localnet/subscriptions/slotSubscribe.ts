import type { LocalnetSubscription } from './subscription.ts';

/** Notifies when a slot is opened. */
export const slotSubscribe: LocalnetSubscription<'slotSubscribe'> = () => ({
  key: [],
  watch: {
    kind: 'slot',
    notify: ({ openSlot, closed, finalized }) => [
      { slot: openSlot, parent: closed.slot, root: finalized.slot },
    ],
  },
});
