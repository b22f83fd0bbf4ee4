import type { Scenario } from '../../../generated/lab.ts';
import type { Findings } from '../checks/findings.ts';
import { type KeyBook, newKeyBook } from '../clients/keys/key-book.ts';
import { type Customer, newWalletBook, type WalletBook } from '../clients/wallets/wallet-book.ts';
import { createLabWebhook, type LabWebhook } from '../receiver/lab-webhook.ts';
import type { Timeline } from '../report/timeline.ts';
import { createCustomer } from './customer.ts';
import type { Installation } from './start-installation.ts';

/** The accounts of clients, one for each, and the webhook of each account. */
export type Accounts = {
  readonly wallets: readonly WalletBook[];
  readonly trees: readonly WalletBook[];
  readonly keys: readonly KeyBook[];
  readonly webhooks: readonly LabWebhook[];
};

type OpeningDeps = {
  readonly installation: Installation;
  readonly findings: Findings;
  readonly timeline: Timeline;
};

/** Opens an account for each client that needs one, at one gateway after the other, each with a webhook. */
export async function openAccounts(
  { installation: { gateways, receiver }, ...deps }: OpeningDeps,
  { wallets, trees, keys }: Pick<Scenario['clients'], 'wallets' | 'trees' | 'keys'>,
): Promise<Accounts> {
  const webhooks: LabWebhook[] = [];
  const open = async <T>(count: number, toBook: (customer: Customer) => T): Promise<readonly T[]> => {
    const books: T[] = [];
    for (let at = 0; at < count; at++) {
      const gateway = gateways[at % gateways.length];
      if (gateway === undefined) continue;
      const customer = await createCustomer(gateway);
      webhooks.push(await createLabWebhook({ gateway, receiver, ...deps }, customer));
      books.push(toBook(customer));
    }
    return books;
  };
  return {
    wallets: await open(wallets, newWalletBook),
    trees: await open(trees, newWalletBook),
    keys: await open(keys, newKeyBook),
    webhooks,
  };
}
