import { keepSubscribed, type Subscriber } from './keep-subscribed.ts';

/** Callbacks for the slots of a network. */
export type SlotWatch = Subscriber & { readonly onSlot: (slot: bigint) => void };

/**
 * Calls `onSlot` with each slot that a network of this server processes, until `signal` aborts. A connection that ends, for example because
 * its key has expired, is reopened with new credentials; `onLost` is called in between.
 */
export function watchSlots(rpcPath: string, { onSlot, ...subscriber }: SlotWatch): Promise<void> {
  return keepSubscribed(rpcPath, subscriber, async (client) => {
    for await (const { slot } of await client.slotSubscribe()) onSlot(slot);
  });
}

/** Callbacks for the balance of an address. */
export type BalanceWatch = Subscriber & { readonly onBalance: (lamports: bigint) => void };

/** Calls `onBalance` whenever a confirmed transaction has changed an account, until `signal` aborts. */
export function watchBalance(
  rpcPath: string,
  address: string,
  { onBalance, ...subscriber }: BalanceWatch,
): Promise<void> {
  return keepSubscribed(rpcPath, subscriber, async (client) => {
    const config = { encoding: 'base64', commitment: 'confirmed' } as const;
    for await (const { value } of await client.accountSubscribe(address, config)) onBalance(value.lamports);
  });
}
