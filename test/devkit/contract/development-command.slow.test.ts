import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DevelopmentFile } from '../../../src/account/setup/development-file.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { useContractCommand } from './use-contract-command.ts';

const { contractAlone } = useContractCommand();
let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_EPHEMERAL: 'true' } });
});
afterAll(() => server.stop());

type Report = {
  readonly account: readonly { readonly operation: string; readonly verdict: string }[];
  readonly operations: readonly unknown[];
  readonly methods: readonly { readonly verdict: string }[];
};

/** Needs no person, no link and nobody else's account. */
const BY_SESSION = ['getSession', 'listSessions', 'listMembers', 'listInvitations'];
const BY_OPERATOR = ['listAccounts', 'listAllInvoices', 'listOpenLimitRequests', 'listNodes', 'listPlans'];

test('a run at the development server of this machine takes dev.json, signs in, and out again', async () => {
  const written = JSON.parse(readFileSync(join(server.dataDir, 'dev.json'), 'utf8')) as DevelopmentFile;
  const env = { KEYSLOT_DATA_DIR: server.dataDir };
  const { ended, stdout, stderr } = await contractAlone(['--url', server.baseUrl, '--json'], env);
  expect([ended, stderr]).toEqual([
    'exit code 0',
    `contract: using the credentials of dev.json in ${server.dataDir}\n`,
  ]);
  const { account, operations, methods } = JSON.parse(stdout) as Report;
  const holding = account.filter(({ verdict }) => verdict === 'holds').map(({ operation }) => operation);
  expect(holding).toEqual(expect.arrayContaining([...BY_SESSION, ...BY_OPERATOR]));
  expect(stdout).not.toContain('no session is given');
  expect(operations.length).toBeGreaterThan(0);
  expect(methods.filter(({ verdict }) => verdict === 'holds').length).toBeGreaterThan(40);
  for (const secret of [
    written.api_key,
    written.access_token,
    written.totp_secret,
    written.dashboard_password,
  ])
    expect(stdout).not.toContain(secret);
  const { dashboard_email: email, dashboard_password: password } = written;
  const signedIn = await fetch(`${server.baseUrl}/account/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const listed = await fetch(`${server.baseUrl}/account/v1/sessions`, { headers: { cookie } });
  expect(((await listed.json()) as { readonly sessions: readonly unknown[] }).sessions).toHaveLength(1);
});

test('the development account is practically unlimited at the account service', async () => {
  const { access_token: token } = JSON.parse(
    readFileSync(join(server.dataDir, 'dev.json'), 'utf8'),
  ) as DevelopmentFile;
  const { headers } = await fetch(`${server.baseUrl}/account/v1/keys`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(headers.get('ratelimit-policy')).toBe('"account";q=100000;w=60');
});

test.each([
  ['another port', () => `http://127.0.0.1:${new URL(server.grpcUrl).port}`, withFile],
  ['credentials of its own', () => `${server.baseUrl}/solana-localnet?apikey=ks_key_unknown`, withFile],
  ['no dev.json', () => server.baseUrl, () => ({ KEYSLOT_DATA_DIR: '/nonexistent' })],
] as const)('with %s nothing of dev.json is used', async (_, url, env) => {
  const { stdout, stderr } = await contractAlone(['--url', url(), '--json', '--rate', '1000'], env());
  expect(stderr).not.toContain('dev.json');
  if (stdout !== '') expect(JSON.parse(stdout)).toMatchObject({ account: [], operations: [] });
});

function withFile() {
  return { KEYSLOT_DATA_DIR: server.dataDir };
}
