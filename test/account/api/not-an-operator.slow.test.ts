import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountClient } from '../../../generated/account/client.ts';
import { OPERATIONS } from '../../../generated/account/operations.ts';
import { isOperatorScope, SCOPES } from '../../../src/account/identity/tokens/scopes.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { command, createToken } from '../../support/wallet-account.ts';

/** The operations of operators, as the document has them. */
const OPERATORS = Object.entries(OPERATIONS).filter(([, { scopes }]) =>
  scopes.some((scope) => isOperatorScope(scope)),
);

let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot();
});
afterAll(() => server?.stop());

/** The answer of each operation to a token: its status, with its code if it refuses. */
async function answersTo(token: string): Promise<readonly (readonly [string, number, string | undefined])[]> {
  return Promise.all(
    OPERATORS.map(async ([name, { method, path }]) => {
      const answer = await fetch(`${server.baseUrl}${path.replace('{id}', 'x')}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      });
      const { code } = (await answer.json()) as { readonly code?: string };
      return [name, answer.status, code] as const;
    }),
  );
}

const everyRefusal = OPERATORS.map(([name]) => [name, 403, 'scope_missing'] as const);

test('every operation below /operator needs a scope of an operator', () => {
  const below = Object.entries(OPERATIONS).filter(([, { path }]) => path.startsWith('/account/v1/operator/'));
  expect(below.map(([name]) => name)).toEqual(OPERATORS.map(([name]) => name));
  expect(OPERATORS.length).toBeGreaterThan(10);
});

test('a token of an account that does not operate is refused everywhere', async () => {
  const { token } = await createToken(server.dataDir, 'acme');
  expect(await answersTo(token)).toEqual(everyRefusal);
});

test('the scopes count from when the account operates until it no longer does; its other scopes stay', async () => {
  await command(server.dataDir, ['accounts', 'create', 'staff', '--operator']);
  const { token } = await createToken(server.dataDir, 'staff', { scopes: SCOPES });
  const refused = (await answersTo(token)).filter(([, status]) => status === 403);
  expect(refused).toEqual([]);
  await command(server.dataDir, { kind: 'accounts.operator', account: 'staff', operates: false });
  expect(await answersTo(token)).toEqual(everyRefusal);
  const client = createAccountClient({ url: server.baseUrl, token });
  expect((await client.listTokens()).tokens).toHaveLength(1);
  const more = client.createToken({ name: 'more', scopes: ['operator:read'] });
  await expect(more).rejects.toMatchObject({ failure: { code: 'scope_not_held' } });
  await command(server.dataDir, { kind: 'accounts.operator', account: 'staff', operates: true });
  expect((await answersTo(token)).filter(([, status]) => status === 403)).toEqual([]);
});

test('a token with such a scope is made for an account that operates only, and nothing is left of the attempt', async () => {
  for (const scope of SCOPES.filter(isOperatorScope)) {
    const made = createToken(server.dataDir, 'nobody', { scopes: [scope] });
    await expect(made).rejects.toThrow('The account nobody does not operate this server');
  }
  const show = command(server.dataDir, ['accounts', 'operator', 'nobody']);
  await expect(show).rejects.toMatchObject({ code: 'accountNotFound' });
});

test('the development account operates the server that made it', async () => {
  const shown = await command(server.dataDir, ['accounts', 'operator', 'development']);
  expect(shown).toEqual({ account: 'development', operates: true });
});

test('networks are shown with their nodes, and with calls once there are some', async () => {
  const { token } = await createToken(server.dataDir, 'caller');
  const { key = '' } = await command(server.dataDir, [
    'keys',
    'create',
    '--account',
    'caller',
    '--name',
    'a',
  ]);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot' });
  await (
    await fetch(server.rpcUrl.replace(/apikey=.*/, `apikey=${key}`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  ).arrayBuffer();
  const client = createAccountClient({ url: server.baseUrl, token });
  const found = await eventually('the node has told its version', async () => {
    const { networks } = await client.listNetworks();
    return networks[0]?.reachable_nodes === 1 && networks[0].versions.length === 1 ? networks : undefined;
  });
  expect(found).toMatchObject([
    { name: 'solana', environment: 'localnet', rpc_path: '/solana-localnet', state: 'ready', nodes: 1 },
  ]);
  const spans = found[0]?.spans ?? [];
  expect(spans.map(({ span }) => span)).toEqual(['hour', 'day', 'month']);
  for (const { calls, p99_ms, known_since, own } of spans) {
    expect(calls).toBeGreaterThan(0);
    expect(p99_ms).toBeGreaterThan(0);
    expect(Date.parse(known_since ?? '')).toBeLessThanOrEqual(Date.now());
    expect(own).toEqual({ calls: 1, errors: 0, caller_errors: 0, refused: 0 });
  }
});
