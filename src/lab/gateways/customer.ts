import { randomUUID } from 'node:crypto';
import { CUSTOMER_SCOPES } from '../../account/tokens/scopes.ts';
import { eventually } from '../../base/eventually.ts';
import type { Customer } from '../clients/wallets/wallet-book.ts';
import type { GatewayProcess } from './gateway-process.ts';

const CREDIT_USD = 1_000;
/** No limit of the wallet service binds clients of the lab. */
const PER_MINUTE = 1_000_000;
const PER_SECOND = 100_000;

/** An API key that no limit binds, made at one gateway and known to all. */
export async function createLabKey(gateways: readonly GatewayProcess[]): Promise<string> {
  const [first] = gateways;
  if (first === undefined) throw new Error('the lab has no gateway');
  const account = `lab-${randomUUID().slice(0, 8)}`;
  const { key } = await first.ask<{ readonly key: string }>({
    ...{ kind: 'keys.create', name: 'lab', account, rules: { origins: [], cidrs: [] } },
  });
  await first.ask({ kind: 'plans.assign', account, plan: 'development' });
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
export async function createCustomer({ ask }: GatewayProcess): Promise<Customer> {
  const account = `lab-${randomUUID().slice(0, 8)}`;
  const { token } = await ask<{ readonly token: string }>({
    kind: 'tokens.create',
    account,
    scopes: CUSTOMER_SCOPES,
  });
  await ask({ kind: 'money.credit', account, amountUsd: String(CREDIT_USD) });
  await ask({ kind: 'wallet-limit', account, requests: PER_MINUTE });
  await ask({ kind: 'wallet-use-limit', account, requests: PER_SECOND });
  const { secret } = await ask<{ readonly secret: string }>({ kind: 'two-factor.enrol', account });
  await ask({ kind: 'plans.assign', account, plan: 'development' });
  return { account, token, secret, creditUsd: CREDIT_USD };
}
