import { keepSubscribed, type Subscriber } from './keep-subscribed.ts';

/** Who is called about the slots of a network. */
export type SlotWatch = Subscriber & { readonly onSlot: (slot: bigint) => void };

/**
 * Calls `onSlot` with each slot that a network of this server processes, until `signal` aborts. A connection that ends, because
 * its key has expired for example, is opened again with new credentials; `onLost` is called in between.
 */
export function watchSlots(rpcPath: string, { onSlot, ...subscriber }: SlotWatch): Promise<void> {
  return keepSubscribed(rpcPath, subscriber, async (client) => {
    for await (const { slot } of await client.slotSubscribe()) onSlot(slot);
  });
}
