import type { RestCaseRequest } from '../../../runtime/rest-case.ts';
import type { Answer } from '../../../src/devkit/contract/wallets/check-answer.ts';
import { sendByFetch } from '../../../src/devkit/contract/wallets/run-contract.ts';

export type AskOptions = Partial<Pick<RestCaseRequest, 'body' | 'headers'>>;

/** Asks a wallet service and reads the answer. */
export async function ask(
  baseUrl: string,
  token: string,
  target: string,
  { body, headers = {} }: AskOptions = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = target.split(' ');
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const request = { method, path, token, headers: { ...type, ...headers } };
  return await sendByFetch(baseUrl, { ...request, ...(body === undefined ? {} : { body }) }, true);
}

/** Makes managed wallets; their ids. @throws Error when the service does not. */
export async function makeWallets(
  baseUrl: string,
  token: string,
  count: number,
): Promise<readonly [string, ...string[]]> {
  const body = { count, custody: 'managed' };
  const { status, text } = await ask(baseUrl, token, 'POST /v1/wallets/batch', { body });
  const [first, ...rest] = [...text.matchAll(/"wallet_id":"(\w+)"/g)].map(([, id]) => id ?? '');
  if (first === undefined) throw new Error(`no wallet was made: ${status} ${text}`);
  return [first, ...rest];
}

/** Makes a managed master with a child; their ids. */
export async function makeMaster(
  baseUrl: string,
  token: string,
): Promise<{ readonly master: string; readonly child: string }> {
  const { text } = await ask(baseUrl, token, 'POST /v1/wallets/hd', { body: { custody: 'managed' } });
  const { master, wallets } = JSON.parse(text) as {
    readonly master: { readonly wallet_id: string };
    readonly wallets: readonly { readonly wallet_id: string }[];
  };
  return { master: master.wallet_id, child: wallets[0]?.wallet_id ?? '' };
}
