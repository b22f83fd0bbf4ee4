import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { openSocket, type SocketClient } from '../../support/socket-client.ts';
import { execFileSync } from 'node:child_process';

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const SOL = 1_000_000_000;

let server: RunningKeyslot;

beforeAll(async () => {
  server = await startKeyslot({
    env: { KEYSLOT_LOCALNET_SLOT_MS: '50', KEYSLOT_LOCALNET_EPHEMERAL: 'true' },
  });
});
afterAll(() => server.stop());

function open(): Promise<SocketClient> {
  return openSocket(server.rpcUrl.replace(/^http/, 'ws'));
}

async function told(client: SocketClient, method: string): Promise<Record<string, unknown>> {
  for (;;) {
    const message = await client.next();
    if (message.method === method) return message.params as Record<string, unknown>;
  }
}

/** The processes that a server has started which run a module. */
function childrenOf(pid: number, module: string): readonly number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().trim().split('\n');
  return lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => Number(match?.[2]) === pid && match?.[3]?.includes(module) === true)
    .map((match) => Number(match?.[1]));
}

test('what is subscribed to is told by the embedded ledger, over the address of dev.json', async () => {
  const client = await open();
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const { result: subscription } = await client.call('accountSubscribe', [ADDRESS, config]);
  await client.call('requestAirdrop', [ADDRESS, SOL]);
  expect(await told(client, 'accountNotification')).toMatchObject({
    subscription,
    result: { value: { lamports: SOL } },
  });
  client.close();
});

test('when the embedded ledger starts again, subscriptions get a notice and continue', async () => {
  const client = await open();
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const { result: account } = await client.call('accountSubscribe', [ADDRESS, config]);
  const { result: slots } = await client.call('slotSubscribe');
  await told(client, 'slotNotification');
  const { result: genesis } = await client.call('getGenesisHash');
  const [ledger] = childrenOf(server.pid, 'localnet');
  expect(ledger).toEqual(expect.any(Number));
  process.kill(Number(ledger), 'SIGKILL');
  const gaps = [await told(client, 'gapNotification'), await told(client, 'gapNotification')];
  expect(gaps.flatMap(({ subscriptions }) => subscriptions).sort()).toEqual([account, slots].sort());
  const { result: another } = await client.call('getGenesisHash');
  expect(another).not.toBe(genesis);
  expect(gaps).toMatchObject([1, 2].map(() => ({ genesisHash: another, fromSlot: 0 })));
  await told(client, 'slotNotification');
  await eventually('an airdrop is taken', async () => {
    const { error } = await client.call('requestAirdrop', [ADDRESS, 2 * SOL]);
    return error === undefined ? true : undefined;
  });
  expect(await told(client, 'accountNotification')).toMatchObject({
    subscription: account,
    result: { value: { lamports: 2 * SOL } },
  });
  client.close();
});

test('a key that is revoked closes its WebSocket with 4001', async () => {
  const client = await open();
  await client.call('getSlot');
  const { stop, url } = await otherKey();
  const other = await openSocket(url);
  await other.call('getSlot');
  stop();
  expect(await other.closed).toEqual({ code: 4001, reason: 'API key revoked' });
  expect((await client.call('getSlot')).result).toEqual(expect.any(Number));
  client.close();
});

/** A key of its own, and what revokes it. */
async function otherKey() {
  const keys = (...args: string[]): string =>
    execFileSync(process.execPath, ['src/main.ts', 'keys', ...args, '--json'], {
      env: { ...process.env, KEYSLOT_DATA_DIR: server.dataDir },
    }).toString();
  const made = JSON.parse(keys('create', '--name', 'other', '--account', 'other')) as Record<string, string>;
  const key = Object.values(made).find((value) => String(value).startsWith('ks_key_')) ?? '';
  const url = server.rpcUrl.replace(/^http/, 'ws').replace(/apikey=.*/, `apikey=${key}`);
  return { url, stop: () => keys('revoke', String(made.id)) };
}
