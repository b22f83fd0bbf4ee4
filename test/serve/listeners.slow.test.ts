import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { openIdleClients } from '../support/idle-clients.ts';

const OPEN_FILES = 700;
const STRANGERS = 2_000;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: RunningKeyslot;

beforeAll(async () => {
  server = await startKeyslot({
    env: { KEYSLOT_METRICS_PORT: '0', KEYSLOT_MAX_CONNECTIONS: '2000' },
    openFiles: OPEN_FILES,
  });
});
afterAll(() => server.stop());

const metricsUrl = (): string => /Metrics\s+(\S+)/.exec(server.stdout())?.[1] ?? '';
const portOf = (url: string): number => Number(new URL(url).port);

/** Makes a managed wallet, which needs the store and the signer. */
async function createWallet(): Promise<number> {
  const { access_token: token } = JSON.parse(readFileSync(join(server.dataDir, 'dev.json'), 'utf8')) as {
    readonly access_token: string;
  };
  const answer = await fetch(`${server.baseUrl}/v1/wallets`, {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
    body: '{"custody":"managed"}',
  });
  return answer.status;
}

test('the metrics are on a listener of their own, alone, and not on the public one', async () => {
  expect(portOf(metricsUrl())).not.toBe(portOf(server.baseUrl));
  const shown = await fetch(metricsUrl(), { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('keyslot_connections ')]);
  expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
  for (const path of ['/readyz', '/solana-localnet', '/v1/wallets'])
    expect((await fetch(new URL(path, metricsUrl()))).status).toBe(404);
});

test('a bound that the limit of open files does not hold is lowered, which is said once', () => {
  expect(server.stderr().match(/KEYSLOT_MAX_CONNECTIONS\) is lowered from 2000 to 316/g)).toHaveLength(1);
});

test('2,000 idle strangers on each port keep nobody out, and leave files for the store and the signer', async () => {
  for (const url of [server.baseUrl, server.grpcUrl]) await openIdleClients(portOf(url), STRANGERS);
  const answer = await fetch(server.rpcUrl, { method: 'POST', headers: JSON_TYPE, body: CALL });
  expect([answer.status, await answer.json()]).toMatchObject([200, { result: expect.any(Number) }]);
  expect(await createWallet()).toBe(201);
  expect(await (await fetch(metricsUrl())).text()).toMatch(
    /keyslot_connections_shed_total\{scope="\w+"\} \d{3}/,
  );
});
