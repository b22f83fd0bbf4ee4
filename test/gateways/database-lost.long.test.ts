import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type CutProxy, startCutProxy } from '../lab/faults/cut-proxy.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { openSocket } from '../support/socket-client.ts';
import { command } from '../support/wallet-account.ts';
import {
  call,
  createBatch,
  createCustomer,
  createKey,
  createWallet,
  listStatus,
  listWalletIds,
  readMoney,
  sign,
} from './customer.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { databasePort, GATEWAYS_MISSING, type Gateways, startGateways } from './start-gateways.ts';

/** Requests under way at each gateway when the database goes. */
const AT_ONCE = 6;
const LOSSES = 4;
/** Wallets of a request: some need several transactions. */
const SIZES = [1, 40, 3];

if (GATEWAYS_MISSING === undefined) describe('gateways that lose PostgreSQL', loseDatabase);
else test('gateways that lose PostgreSQL', (context) => context.skip(GATEWAYS_MISSING));

function loseDatabase(): void {
  const started = new AsyncDisposableStack();
  let gateways: Gateways;
  let proxies: readonly [one: CutProxy, other: CutProxy];
  beforeAll(async () => {
    const node = await startLocalnet({ args: ['--slot-ms', '100'] });
    started.defer(node.stop);
    proxies = [await startCutProxy(databasePort()), await startCutProxy(databasePort())];
    for (const { close } of proxies) started.defer(close);
    const databasePorts = [proxies[0].port, proxies[1].port] as const;
    const env = { KEYSLOT_SHUTDOWN_GRACE_MS: '3000' };
    gateways = await startGateways({ upstreamUrl: node.rpcUrl, databasePorts, env });
    started.defer(gateways.remove);
  });
  afterAll(() => started.disposeAsync());

  const takeAway = (from: readonly CutProxy[] = proxies): void => {
    for (const proxy of from) {
      proxy.isDown = true;
      proxy.cut();
    }
  };
  const giveBack = (): void => {
    for (const proxy of proxies) proxy.isDown = false;
  };
  const comesBack = ({ baseUrl }: Gateway) =>
    eventually('the gateway is ready again', async () => {
      const answer = await fetch(`${baseUrl}/readyz`);
      await answer.arrayBuffer();
      return answer.ok || undefined;
    });

  test('ledger access continues for known keys, wallets answer 503, and all works when it is back', async () => {
    const { one, other } = gateways;
    const { account, token } = await createCustomer(gateways);
    const { key } = await createKey(gateways, account);
    const walletId = String((await createWallet(one, token)).body.wallet_id);
    const socket = await openSocket(`${one.wsUrl}?apikey=${key}`);
    const streams = createStreamClient({ url: one.grpcUrl, apiKey: key });
    const messages = streams.subscribe('slots');
    await messages.next();

    takeAway();
    for (const gateway of [one, other]) {
      expect((await call(gateway, key, 'getSlot')).status).toBe(200);
      expect((await call(gateway, 'ks_key_nobody', 'getSlot')).status).toBe(401);
      const opened = await openSocket(`${gateway.wsUrl}?apikey=${key}`);
      expect(await opened.call('getSlot')).toHaveProperty('result');
      opened.close();
      const refused = { status: 503, body: { code: 'store_unavailable' } };
      expect(await createWallet(gateway, token)).toMatchObject(refused);
      expect(await createWallet(gateway, token, randomUUID())).toMatchObject(refused);
      expect(await sign(gateway, token, walletId)).toMatchObject(refused);
      expect(await listStatus(gateway, token)).toBe(503);
      const lost = expect.stringContaining('"state":"storeUnavailable"');
      expect(await readyz(gateway)).toEqual([503, lost]);
      expect(await readyz(gateway, '?exclude=signer&exclude=networks')).toEqual([503, lost]);
      expect(await readyz(gateway, '?exclude=store')).toEqual([200, lost]);
    }
    expect(await socket.call('getSlot')).toHaveProperty('result');
    const later = createStreamClient({ url: other.grpcUrl, apiKey: key });
    for (const stream of [messages, later.subscribe('slots')])
      expect(await stream.next()).toMatchObject({ done: false });

    giveBack();
    await Promise.all([one, other].map(comesBack));
    for (const gateway of [one, other])
      expect(await sign(gateway, token, walletId)).toMatchObject({ status: 200 });
    expect((await createWallet(other, token)).status).toBe(201);
    expect(await socket.call('getSlot')).toHaveProperty('result');
    streams.close();
    later.close();
    socket.close();
  });

  test('a key that was revoked while one gateway had lost it is refused there when it is back', async () => {
    const { one, other } = gateways;
    const { id, key } = await createKey(gateways, 'acme');
    takeAway([proxies[0]]);
    await command(other.dataDir, ['keys', 'revoke', id]);
    const isRefused = (gateway: Gateway) =>
      eventually('it is refused', async () =>
        (await call(gateway, key, 'getSlot')).status === 401 ? true : undefined,
      );
    await isRefused(other);
    expect((await call(one, key, 'getSlot')).status).toBe(200);
    giveBack();
    await isRefused(one);
  });

  test(`requests that ${LOSSES} losses interrupt, repeated at the other gateway, are done and charged once`, async () => {
    const { one, other } = gateways;
    const { account, token } = await createCustomer(gateways);
    await createWallet(one, token);
    const { chargedUsd: price } = await readMoney(one, account);
    const told = new Map<string, string>();
    const asked = new Map<string, number>();
    const ask = async (gateway: Gateway, key: string): Promise<number> => {
      const { status, text } = await createBatch(gateway, token, asked.get(key) ?? 0, key);
      if (status !== 200) return status;
      expect(text).toBe(told.get(key) ?? text);
      told.set(key, text);
      return status;
    };

    for (let loss = 0; loss < LOSSES; loss++) {
      const statuses = new Set<number>();
      let answered = 0;
      let isLost = false;
      const client = async (gateway: Gateway): Promise<void> => {
        for (let status = 200; status === 200; ) {
          const key = randomUUID();
          asked.set(key, SIZES[asked.size % SIZES.length] ?? 1);
          status = await ask(gateway, key);
          statuses.add(status);
          if (++answered < (loss + 1) * AT_ONCE || isLost) continue;
          isLost = true;
          takeAway();
        }
      };
      await Promise.all(
        [one, other].flatMap((gateway) => Array.from({ length: AT_ONCE }, () => client(gateway))),
      );
      expect([...statuses].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
      giveBack();
      await Promise.all([one, other].map(comesBack));
    }
    expect(asked.size - told.size).toBeGreaterThan(0);
    for (const [at, key] of [...asked.keys()].entries()) {
      const gateway = at % 2 === 0 ? one : other;
      await eventually('it is done', async () => ((await ask(gateway, key)) === 200 ? true : undefined));
    }

    const ids = await listWalletIds(other, token);
    expect(ids).toHaveLength(1 + [...asked.values()].reduce((sum, count) => sum + count, 0));
    expect(new Set(ids).size).toBe(ids.length);
    const money = await eventually('nothing is reserved', async () => {
      const now = await readMoney(one, account);
      return now.reservedUsd === 0 ? now : undefined;
    });
    expect(money.chargedUsd).toBeCloseTo(ids.length * price, 6);
    // The signer of each gateway has a key of its own.
    const publicKeys = await Promise.all([one, other].map(headKeyOf));
    expect(await command(one.dataDir, { kind: 'audit.verify', publicKeys })).toMatchObject({
      is_sound: true,
    });
  });

  test('one that stops without it is 503 whatever is excluded', async () => {
    const { other } = gateways;
    takeAway([proxies[1]]);
    const stopped = other.stop();
    const query = '?exclude=store&exclude=signer&exclude=networks';
    await eventually('it says that it stops', async () => {
      const [status, body] = await readyz(other, query);
      return (status === 503 && body.includes('"status":"stopping"')) || undefined;
    });
    giveBack();
    await stopped;
  });
}

async function readyz({ baseUrl }: Gateway, query = ''): Promise<readonly [status: number, body: string]> {
  const answer = await fetch(`${baseUrl}/readyz${query}`);
  return [answer.status, await answer.text()];
}

/** The key that the signer of a gateway signs heads of the audit log with. */
async function headKeyOf({ dataDir }: Gateway): Promise<string> {
  const { public_keys: keys } = (await command(dataDir, { kind: 'audit.verify' })) as unknown as {
    readonly public_keys: readonly string[];
  };
  return keys[0] ?? '';
}
