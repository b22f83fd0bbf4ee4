import { randomUUID } from 'node:crypto';
import type { StreamCallError } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type Posted, postJson } from '../support/post-json.ts';
import { addCredit, command, createToken } from '../support/wallet-account.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import type { Gateways } from './start-gateways.ts';

/** The header of an access token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** An API key, made at one gateway, which works at both. */
export async function createKey({ one, other }: Gateways, account: string) {
  const { id = '', key = '' } = await command(one.dataDir, ['keys', 'create', '--account', account]);
  const isKnown = async () => (await call(other, key, 'getSlot')).status === 200 || undefined;
  await eventually('the key works at the other', isKnown);
  return { id, key };
}

/** An account with money and an access token, made at one gateway, which work at both. */
export async function createCustomer({ one, other }: Gateways) {
  const account = `customer-${randomUUID().slice(0, 8)}`;
  const { id, token } = await createToken(one.dataDir, account);
  await addCredit(one.dataDir, account, '10');
  await eventually('the token works at the other', async () =>
    (await listStatus(other, token)) === 200 ? true : undefined,
  );
  return { account, id, token };
}

/** The answer to a JSON-RPC call. */
export function call(
  { rpcUrl }: Gateway,
  key: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<Posted> {
  return postJson(`${rpcUrl}?apikey=${key}`, { jsonrpc: '2.0', id: 1, method, params });
}

/** The status of the answer to a list of wallets. */
export async function listStatus({ baseUrl }: Gateway, token: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/v1/wallets`, { headers: bearer(token) });
  await answer.arrayBuffer();
  return answer.status;
}

/** The ids of all wallets of an account. */
export async function listWalletIds({ baseUrl }: Gateway, token: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: string = cursor === '' ? '' : `?cursor=${cursor}`;
    const answer = await fetch(`${baseUrl}/v1/wallets${query}`, { headers: bearer(token) });
    const page = (await answer.json()) as {
      readonly wallets: readonly { readonly wallet_id: string }[];
      readonly next_cursor?: string;
    };
    ids.push(...page.wallets.map(({ wallet_id }) => wallet_id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** Creates a managed wallet. */
export function createWallet({ baseUrl }: Gateway, token: string, idempotencyKey?: string): Promise<Posted> {
  const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return postJson(`${baseUrl}/v1/wallets`, { custody: 'managed' }, { ...bearer(token), ...key });
}

/** Creates managed wallets. @returns the text of the answer; status 0: it was broken off. */
export async function createBatch({ baseUrl }: Gateway, token: string, count: number, key: string) {
  const headers = { ...bearer(token), 'content-type': 'application/json', 'idempotency-key': key };
  const body = JSON.stringify({ count, custody: 'managed' });
  try {
    const answer = await fetch(`${baseUrl}/v1/wallets/batch`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

/** Signs with a wallet. */
export function sign({ baseUrl }: Gateway, token: string, id: string): Promise<Posted> {
  return postJson(`${baseUrl}/v1/wallets/${id}/sign`, { message: 'aGVsbG8=' }, bearer(token));
}

/** The charged and the reserved amount of an account. */
export async function readMoney({ dataDir }: Gateway, account: string) {
  const { charged_usd = '', reserved_usd = '' } = await command(dataDir, { kind: 'money.balance', account });
  return { chargedUsd: Number(charged_usd), reservedUsd: Number(reserved_usd) };
}

/** The stable name of the error that a stream ends with; undefined: it ends without one. */
export async function endOf(messages: AsyncIterable<unknown>): Promise<string | undefined> {
  try {
    for await (const _ of messages);
    return undefined;
  } catch (thrown) {
    return (thrown as StreamCallError).error;
  }
}
