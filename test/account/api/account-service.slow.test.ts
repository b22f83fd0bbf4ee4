import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AccountClient,
  createAccountClient,
  isAccountError,
} from '../../../generated/account/client.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { command, createToken } from '../../support/wallet-account.ts';
import { startBusyMachineClock } from '../../support/busy-machine-clock.ts';

type AuditRow = { readonly subject: string | null };

let server: RunningKeyslot;
let owner: AccountClient;

const clientOf = (token: string): AccountClient => createAccountClient({ url: server.baseUrl, token });

/** The HTTP status of a gateway call with a key. */
async function statusWith(apiKey: string): Promise<number> {
  const address = server.rpcUrl.replace(/apikey=.*/, `apikey=${apiKey}`);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

beforeAll(async () => {
  server = await startKeyslot();
  owner = clientOf((await createToken(server.dataDir, 'acme')).token);
});
afterAll(() => server?.stop());

test('a key that is created works, rotated both work, and revoked it is refused within a second', async () => {
  const made = await owner.createKey({ name: 'checkout' });
  expect(await statusWith(made.api_key)).toBe(200);
  const rotated = await owner.rotateKey(made.key_id, { overlap_seconds: 60 });
  expect([await statusWith(made.api_key), await statusWith(rotated.api_key)]).toEqual([200, 200]);
  await owner.revokeKey(made.key_id);
  using since = startBusyMachineClock();
  await eventually('the old key is refused', async () =>
    (await statusWith(made.api_key)) === 401 ? true : undefined,
  );
  expect(since.elapsedMs()).toBeLessThan(1_000);
  expect(await statusWith(rotated.api_key)).toBe(200);
  const { keys } = await owner.listKeys();
  expect(keys.map(({ key_id, state }) => [key_id, state])).toEqual([
    [rotated.key_id, 'active'],
    [made.key_id, 'revoked'],
  ]);
  expect(JSON.stringify(keys)).not.toContain(rotated.api_key);
});

test('what is revoked twice answers when it was, and is on record once', async () => {
  const { key_id } = await owner.createKey({ name: 'twice' });
  const first = await owner.revokeKey(key_id);
  expect(await owner.revokeKey(key_id)).toEqual(first);
  const list = ['audit', 'list', 'acme', '--limit', '1000', '--action', 'revokekey'];
  const { records } = (await command(server.dataDir, list)) as unknown as { records: readonly AuditRow[] };
  expect(records.filter(({ subject }) => subject === key_id)).toMatchObject([
    { outcome: 'ok', wallet_id: null, member_id: null },
  ]);
});

test('a rotation without overlap ends the old key at once', async () => {
  const made = await owner.createKey({ name: 'at once' });
  await owner.rotateKey(made.key_id, { overlap_seconds: 0 });
  expect(await statusWith(made.api_key)).toBe(401);
});

test('a key is bound to the networks that it was created for', async () => {
  const { api_key } = await owner.createKey({ name: 'elsewhere', allowed_cidrs: ['10.0.0.0/8'] });
  expect(await statusWith(api_key)).toBe(403);
});

test('lists continue page by page, each entry once, and show nothing of another account', async () => {
  const { token } = await createToken(server.dataDir, 'pages');
  const client = clientOf(token);
  const made: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await client.createKey({ name })).key_id);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listKeys({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...page.keys.map(({ key_id }) => key_id));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(seen.toSorted()).toEqual(made.toSorted());
  expect(new Set(seen).size).toBe(made.length);
  const { tokens } = await client.listTokens();
  expect(tokens).toHaveLength(1);
});

test('a token creates none that may do more than itself, and works until it is revoked', async () => {
  const { token } = await createToken(server.dataDir, 'acme', { scopes: ['tokens:manage', 'wallets:read'] });
  const client = clientOf(token);
  for (const scope of ['keys:manage', 'wallets:sign', 'account:read'] as const) {
    const error: unknown = await client
      .createToken({ name: 'more', scopes: ['wallets:read', scope] })
      .catch((e) => e);
    expect([scope, isAccountError(error, 'scope_not_held')]).toEqual([scope, true]);
  }
  const made = await client.createToken({ name: 'less', scopes: ['wallets:read', 'tokens:manage'] });
  const child = clientOf(made.access_token);
  const grandchild = await child.createToken({ name: 'least', scopes: ['tokens:manage'] });
  await client.revokeToken(made.token_id);
  await expect(child.revokeToken(grandchild.token_id)).rejects.toMatchObject({
    failure: { code: 'token_revoked' },
  });
  await clientOf(grandchild.access_token).revokeToken(grandchild.token_id);
});

test('a token that expires is shown as such, and refused', async () => {
  const error: unknown = await owner
    .createToken({ name: 'short', scopes: ['account:read'], expires_in_seconds: 1 })
    .catch((e) => e);
  expect(isAccountError(error, 'body_invalid')).toBe(true);
  const { expires_at, created_at } = await owner.createToken({
    name: 'short',
    scopes: ['account:read'],
    expires_in_seconds: 60,
  });
  expect(Date.parse(expires_at ?? '') - Date.parse(created_at)).toBe(60_000);
});

test('no page of another origin may read an answer, whatever the wallet service allows', async () => {
  const open = await startKeyslot({ env: { KEYSLOT_WALLET_CORS_ORIGINS: '*', KEYSLOT_CORS_ORIGINS: '*' } });
  try {
    const { token } = await createToken(open.dataDir, 'acme');
    const headers = { origin: 'https://evil.example', authorization: `Bearer ${token}` };
    const read = await fetch(`${open.baseUrl}/account/v1/keys`, { headers });
    const preflight = await fetch(`${open.baseUrl}/account/v1/keys`, { method: 'OPTIONS', headers });
    for (const answer of [read, preflight])
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(preflight.status).toBe(405);
  } finally {
    await open.stop();
  }
});

test('the document is served, and names every path', async () => {
  const answer = await fetch(`${server.baseUrl}/account/v1/openapi.json`);
  const { paths } = (await answer.json()) as { readonly paths: object };
  expect(Object.keys(paths)).toContain('/account/v1/keys/{id}/rotate');
  expect((await fetch(`${server.baseUrl}/account/v1/nothing`)).headers.get('content-type')).toBe(
    'application/problem+json; charset=utf-8',
  );
});
