import { randomUUID } from 'node:crypto';
import { CUSTOMER_SCOPES } from '../../../src/account/identity/tokens/scopes.ts';
import { eventually } from '../../../src/core/eventually.ts';
import type { ClientCounts } from '../scenarios.ts';
import type { Findings } from '../checks/findings.ts';
import { type KeyBook, newKeyBook } from '../clients/key-client.ts';
import { type Customer, newWalletBook, type WalletBook } from '../clients/wallets/wallet-book.ts';
import { createLabWebhook, type LabWebhook } from '../receiver/lab-webhook.ts';
import type { Timeline } from '../report.ts';
import type { Installation } from './installation.ts';
import type { GatewayProcess } from './lab-gateway.ts';

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
  { wallets = 0, trees = 0, keys = 0 }: Partial<ClientCounts>,
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

const CREDIT_USD = 1_000;
/** No limit of the wallet service binds clients of the lab. */
const PER_MINUTE = 1_000_000;
const PER_SECOND = 100_000;

/** An API key that no limit binds, made at one gateway and known to all. */
export async function createLabKey(gateways: readonly GatewayProcess[]): Promise<string> {
  const [first] = gateways;
  if (first === undefined) throw new Error('the lab has no gateway');
  const account = `lab-${randomUUID().slice(0, 8)}`;
  const { key } = await first.ask<{ readonly key: string }>([
    'keys',
    'create',
    '--name',
    'lab',
    '--account',
    account,
  ]);
  await first.ask(['plans', 'assign', account, 'development']);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot' });
  const headers = { 'content-type': 'application/json' };
  for (const { name, rpcUrl } of gateways)
    await eventually(`the key works at ${name}`, async () => {
      const answer = await fetch(`${rpcUrl}?apikey=${key}`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      return answer.ok || undefined;
    });
  return key;
}

/** An account with money, an access token and a second factor. */
async function createCustomer({ ask }: GatewayProcess): Promise<Customer> {
  const account = `lab-${randomUUID().slice(0, 8)}`;
  const { token } = await ask<{ readonly token: string }>({
    kind: 'tokens.create',
    account,
    scopes: CUSTOMER_SCOPES,
  });
  await ask({ kind: 'money.credit', account, amountUsd: String(CREDIT_USD) });
  await ask(['wallet-limit', account, '--per-minute', String(PER_MINUTE)]);
  await ask(['wallet-use-limit', account, '--per-second', String(PER_SECOND)]);
  const { secret } = await ask<{ readonly secret: string }>({ kind: 'two-factor.enrol', account });
  await ask(['plans', 'assign', account, 'development']);
  return { account, token, secret, creditUsd: CREDIT_USD };
}
