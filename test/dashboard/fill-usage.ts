import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemberServer } from '../account/api/sessions/member-server.ts';

/** An account with calls, wallets, credit and records, and its owner. */
export type FilledAccount = {
  readonly accountId: string;
  readonly email: string;
  readonly memberId: string;
  /** The calls that were made with the key `checkout`. */
  readonly calls: number;
};

const CALLS = 5;

/** Makes an account of a server that has used everything once: a key, calls, credit, and a wallet that a member created. */
export async function fillUsage(
  { server, members, send }: MemberServer,
  name: string,
): Promise<FilledAccount> {
  const accountId = await members.accountIdOf(name);
  const owner = await members.newOwner(accountId);
  const session = await members.newSession(owner);
  const development = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8'));
  const ok = async (...request: Parameters<MemberServer['send']>) => {
    const { status, body } = await send(...request);
    if (status >= 300) throw new Error(`${request[1]}: ${JSON.stringify(body)}`);
    return body;
  };
  await ok('POST', `/account/v1/operator/accounts/${accountId}/credits`, {
    token: development.access_token,
    body: { amount_usd: '25.00', reference: `credit of ${name}` },
  });
  const { api_key } = await ok('POST', '/account/v1/keys', { session, body: { name: 'checkout' } });
  const address = new URL(server.rpcUrl);
  address.searchParams.set('apikey', String(api_key));
  for (let call = 0; call < CALLS; call += 1)
    await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"${call === 0 ? 'getBalance' : 'getSlot'}"}`,
    });
  const { access_token } = await ok('POST', '/account/v1/session/credentials', { session });
  await ok('POST', '/v1/wallets', {
    token: String(access_token),
    body: {},
    headers: { 'idempotency-key': name },
  });
  return { accountId, email: owner.email, memberId: owner.memberId, calls: CALLS };
}
