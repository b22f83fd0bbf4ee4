import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AccountClient,
  createAccountClient,
  isAccountError,
} from '../../../generated/account/client.ts';
import { GENESIS, recordBytes } from '../../../runtime/audit-bytes.ts';
import { readAuditRecord } from '../../../runtime/read-audit-record.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { addCredit, createToken } from '../../support/wallet-account.ts';

type Owner = { readonly client: AccountClient; readonly tokenId: string; readonly keyId: string };

let server: RunningKeyslot;
let acme: Owner;
let other: Owner;

const clientOf = (token: string): AccountClient => createAccountClient({ url: server.baseUrl, token });

/** An account with money, a key that made a call, and a wallet that was created and refused. */
async function fill(account: string): Promise<Owner> {
  const { id: tokenId, token } = await createToken(server.dataDir, account);
  await addCredit(server.dataDir, account, '10');
  const client = clientOf(token);
  const made = await client.createKey({ name: `${account} key` });
  const address = server.rpcUrl.replace(/apikey=.*/, `apikey=${made.api_key}`);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
  await (await fetch(address, { method: 'POST', headers, body: call })).arrayBuffer();
  const body = JSON.stringify({ custody: 'managed', label: account });
  const wallet = await fetch(`${server.baseUrl}/v1/wallets`, { method: 'POST', headers, body });
  expect(wallet.status).toBe(201);
  await wallet.arrayBuffer();
  return { client, tokenId, keyId: made.key_id };
}

beforeAll(async () => {
  server = await startKeyslot();
  acme = await fill('acme');
  other = await fill('stranger');
});
afterAll(() => server?.stop());

/** Everything that the account service lists of an account. */
async function readAll({ client }: Owner): Promise<string> {
  const parts: unknown[] = [await client.getAccount(), await client.listKeys(), await client.listTokens()];
  parts.push(await client.listAuditRecords(), await client.listAuditChain(), await client.listAuditHeads());
  for (const by of ['key', 'method', 'network', 'minute', 'hour', 'day'] as const)
    parts.push(await client.getUsage({ by }));
  for (const by of ['token', 'operation', 'minute', 'hour', 'day'] as const)
    parts.push(await client.getWalletUsage({ by }));
  parts.push(await client.listEntries());
  return JSON.stringify(parts);
}

test('shows its own and nothing of another account', async () => {
  const [own, strangers] = [await readAll(acme), await readAll(other)];
  for (const { text, id } of [
    { text: own, id: other },
    { text: strangers, id: acme },
  ]) {
    const { account_id } = await id.client.getAccount();
    for (const foreign of [id.keyId, id.tokenId, account_id]) expect(text).not.toContain(foreign);
  }
  expect(own).not.toContain('stranger');
  const { rows } = await acme.client.getUsage();
  expect(rows).toMatchObject([{ group: acme.keyId, key_name: 'acme key', calls: 1 }]);
  const wallets = await acme.client.getWalletUsage({ by: 'operation' });
  expect(wallets.rows).toMatchObject([{ group: 'create', requests: 1, units: 1, cost_usd: '0.001' }]);
});

test('an id of another account is refused in every filter', async () => {
  for (const asked of [
    () => acme.client.getUsage({ key_id: other.keyId }),
    () => acme.client.listAuditRecords({ token_id: other.tokenId }),
    () => acme.client.listAuditRecords({ member_id: other.tokenId }),
  ])
    expect(isAccountError(await asked().catch((error: unknown) => error), 'query_invalid')).toBe(true);
});

test('shows money only to a token with billing:read', async () => {
  const { token } = await createToken(server.dataDir, 'acme', { scopes: ['account:read'] });
  const reader = clientOf(token);
  expect(Object.keys(await reader.getAccount())).not.toContain('balance');
  const { rows } = await reader.getWalletUsage({ by: 'operation' });
  expect(rows.flatMap((row) => Object.keys(row))).not.toContain('cost_usd');
  const error: unknown = await reader.listEntries().catch((thrown) => thrown);
  expect(isAccountError(error, 'scope_missing')).toBe(true);
  expect((await acme.client.getAccount()).balance).toMatchObject({
    charged_usd: '0.001',
    credit_limit_usd: '0.00',
  });
  const { entries } = await acme.client.listEntries();
  expect(entries.map(({ kind, amount_usd, charged_usd }) => [kind, amount_usd, charged_usd])).toContainEqual([
    ...['charge', '-0.001', '0.001'],
  ]);
});

test('shows when a key and a token were last used, and from where', async () => {
  await eventually('the uses are stored', async () => {
    const [key] = (await acme.client.listKeys()).keys;
    const token = (await acme.client.listTokens()).tokens.find(({ token_id }) => token_id === acme.tokenId);
    const isStored = [key, token].every((one) => one?.last_used_address === '127.0.0.1');
    return isStored && key?.last_used_at !== undefined ? true : undefined;
  });
});

test('the chain and its heads can be verified with what the answers say', async () => {
  const { records } = await acme.client.listAuditChain();
  expect(records.length).toBeGreaterThan(1);
  let previous = GENESIS;
  for (const [index, record] of records.entries()) {
    expect([record.seq, record.previous_hash]).toEqual([index + 1, Buffer.from(previous).toString('hex')]);
    previous = new Uint8Array(
      await crypto.subtle.digest('SHA-256', recordBytes(previous, readAuditRecord(record))),
    );
    expect(record.hash).toBe(Buffer.from(previous).toString('hex'));
  }
  const part = await acme.client.listAuditChain({ from_seq: 2, limit: 1 });
  expect(part.records).toEqual(records.slice(1, 2));
});
