import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Development = { readonly base_url: string; readonly access_token: string };

/** The development account of a data directory, as its dev.json names it. */
export function developmentOf(dataDir: string): Development {
  return JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as Development;
}

/** Calls the wallet service of the server of a data directory. */
export function callWallets(dataDir: string, path: string, body: object): Promise<Response> {
  const { base_url, access_token } = developmentOf(dataDir);
  return fetch(`${base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Creates managed wallets. @returns their ids. */
export async function createManaged(dataDir: string, count: number): Promise<readonly string[]> {
  const answer = await callWallets(dataDir, '/v1/wallets/batch', { custody: 'managed', count });
  const lines = (await answer.text()).split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { wallet_id: string }).wallet_id);
}

/** The statuses of signing with each of the wallets. */
export async function signWith(dataDir: string, ids: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const id of ids)
    statuses.push((await callWallets(dataDir, `/v1/wallets/${id}/sign`, { message: 'aGVsbG8=' })).status);
  return statuses;
}
