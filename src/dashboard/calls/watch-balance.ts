import { keepSubscribed, type Subscriber } from './keep-subscribed.ts';

/** Who is called about the balance of an address. */
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
