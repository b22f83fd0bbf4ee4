import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { WALLET_CONTRACT } from '../../../generated/contract/wallets/contract.ts';
import { SCOPES as WALLET_SCOPES } from '../../../generated/wallets/operations.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { addCredit, command, createToken } from '../../support/wallet-account.ts';
import { useContractCommand } from './use-contract-command.ts';
import { startWalletProxy } from './wallet-proxy.ts';

const CASES = Object.values(WALLET_CONTRACT).flatMap(({ cases }) => cases);
const directory = useNewDirectory();
const { contract, contractAlone, running } = useContractCommand();

type Json = {
  readonly methods: readonly unknown[];
  readonly account: readonly unknown[];
  readonly operations: readonly {
    readonly operation: string;
    readonly verdict: string;
    readonly held: number;
    readonly leftOut: number;
    readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  }[];
};

/** Operations with the verdict of a run that can send those of their good requests for which `canSend` is true. */
const verdictsWhere = (canSend: (example: RestCase) => boolean) =>
  Object.fromEntries(
    Object.entries(WALLET_CONTRACT).map(([name, { cases }]) => [
      name,
      cases.some((item) => item.kind === 'example' && canSend(item)) ? 'holds' : 'unproven',
    ]),
  );
const verdictsIn = (operations: Json['operations']) =>
  Object.fromEntries(operations.map(({ operation, verdict }) => [operation, verdict]));
const uses = ({ request, before }: RestCase, value: string): boolean =>
  JSON.stringify([request, before]).includes(value);
/** Needs neither writing nor a wallet, which the run would have to make first. */
const isReadWithoutWallet = (item: RestCase): boolean =>
  item.request.method === 'GET' && !uses(item, 'wallet_id');

let server: RunningKeyslot;
let token = '';
const balance = () => command(server.dataDir, { kind: 'money.balance', account: 'acme' });

beforeAll(async () => {
  server = await startKeyslot();
  ({ token } = await createToken(server.dataDir, 'acme', { scopes: WALLET_SCOPES }));
  await addCredit(server.dataDir, 'acme', '100');
});
afterAll(() => server?.stop());

test('without writes a service is read and refuses, nothing is made or charged, and every case left out says why', async () => {
  const before = await balance();
  const { ended, stdout, stderr } = await contract('--url', server.baseUrl, '--token', token, '--json');
  expect([ended, stderr]).toEqual(['exit code 0', '']);
  const { methods, account, operations } = JSON.parse(stdout) as Json;
  expect([methods, account]).toEqual([[], []]);
  expect(verdictsIn(operations)).toEqual(verdictsWhere(isReadWithoutWallet));
  for (const { leftOut, reasons } of operations) {
    expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(leftOut);
  }
  expect(operations.reduce((sum, { held }) => sum + held, 0)).toBeGreaterThan(200);
  expect(await balance()).toEqual(before);
  expect(stdout).not.toContain(token);
});

test('with writes every operation is seen to hold, but for what needs a second factor; a token from the environment is shown in no report', async () => {
  const junit = join(directory(), 'junit.xml');
  const args = ['--url', server.rpcUrl.split('?')[0] ?? '', '--allow-writes', '--junit', junit];
  const { ended, stdout, stderr } = await contractAlone(args, { KEYSLOT_CONTRACT_TOKEN: token });
  expect([ended, stderr]).toEqual(['exit code 0', '']);
  const verdicts = [...stdout.matchAll(/^(\w+) +(\w+) +\d+ held/gm)].map(([, verdict, name]) => [
    name,
    verdict,
  ]);
  const expected = verdictsWhere((example) => !uses(example, '$two_factor_code'));
  expect(expected).toMatchObject({
    destroyWallet: 'unproven',
    getWallet: 'holds',
    signWithWallet: 'holds',
  });
  expect(Object.fromEntries(verdicts)).toEqual(expected);
  expect(stdout).toContain('left out: the second factor of the account is not given (--totp)');
  const xml = await readFile(junit, 'utf8');
  expect([...xml.matchAll(/<testcase /g)]).toHaveLength(CASES.length);
  expect(xml).toContain(
    '<skipped message="left-out: it needs a value that only the operator has: revoked_token"/>',
  );
  expect(stdout + xml).not.toMatch(/ks_tok_|secret_key":/);
  expect(Number((await balance()).charged_usd)).toBeGreaterThan(0.03);
});

test('a fault of one operation is found there and nowhere else', async () => {
  const { url, stop } = await startWalletProxy(server.baseUrl, (text, { method, url }) =>
    method === 'GET' && /^\/v1\/wallets\/w_[^/]+$/.test(url ?? '')
      ? text.replace('"custody"', '"state":"active","custody"')
      : text,
  );
  running.push({ stop });
  const { ended, stdout } = await contract('--url', url, '--token', token, '--allow-writes', '--json');
  expect(ended).toBe('exit code 1');
  const { operations } = JSON.parse(stdout) as Json;
  expect(operations.filter(({ verdict }) => verdict === 'differs').map(({ operation }) => operation)).toEqual(
    ['getWallet'],
  );
  expect(stdout).toContain('additionalProperties');
});

test('an account without money proves nothing, and is no fault of the service', async () => {
  const { token: poor } = await createToken(server.dataDir, 'poor', { scopes: WALLET_SCOPES });
  const args = ['--url', server.baseUrl, '--token', poor, '--allow-writes', '--json'];
  const { ended, stdout } = await contract(...args);
  expect(ended).toBe('exit code 0');
  const { operations } = JSON.parse(stdout) as Json;
  expect(verdictsIn(operations)).toEqual(verdictsWhere(isReadWithoutWallet));
  expect(stdout).toContain(
    'the run could not prepare it: POST /v1/wallets answered 402 balance_insufficient',
  );
});

test('a server without the service is told from one that differs', async () => {
  const other = createServer((_request, response) => response.writeHead(404).end('no such page'));
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  running.push({ stop: () => new Promise((done) => other.close(() => done())) });
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { ended, stdout } = await contract('--url', url, '--token', 'any', '--json');
  expect(ended).toBe('exit code 1');
  const { operations } = JSON.parse(stdout) as Json;
  expect([...new Set(operations.map(({ verdict }) => verdict))]).toEqual(['absent']);
});

test.each([
  ['a token that is refused', ['--token', 'ks_tok_wrong'], 'the wallet service refuses the token (HTTP 401)'],
  ['a second factor without a token', ['--totp', 'JBSWY3DPEHPK3PXP'], '--totp needs --token'],
  ['an invalid second factor', ['--token', 'ks_tok_wrong', '--totp', 'n0pe'], '--totp must be a secret'],
])('%s is a mistake that is told without what is secret', async (_, args, reason) => {
  const { ended, stdout, stderr } = await contract('--url', server.baseUrl, ...args);
  expect([ended, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
  expect(stderr).not.toMatch(/ks_tok_wrong|JBSWY|n0pe/);
});
