import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/base/eventually.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { openSocket } from '../support/socket-client.ts';
import { command } from '../support/wallet-account.ts';
import { bearer, createCustomer, createKey, createWallet, listWalletIds, readMoney } from './customer.ts';
import { startRoundRobin } from './round-robin.ts';
import { GATEWAYS_MISSING, type Gateways, startGateways } from './start-gateways.ts';

const READERS = 4;
const READ_PAUSE_MS = 8;
const CREATORS = 2;
/** Answers of each kind between two steps. */
const BETWEEN = 30;
/** What a stopping gateway goes on for. */
const GRACE_MS = 3_000;
const ROUNDS = 2;

if (GATEWAYS_MISSING === undefined) describe('a rolling restart', restart);
else test('a rolling restart', (context) => context.skip(GATEWAYS_MISSING));

function restart(): void {
  const started = new AsyncDisposableStack();
  let gateways: Gateways;
  beforeAll(async () => {
    const node = await startLocalnet({ args: ['--slot-ms', '100'] });
    started.defer(node.stop);
    const env = { KEYSLOT_SHUTDOWN_GRACE_MS: String(GRACE_MS) };
    gateways = await startGateways({ upstreamUrl: node.rpcUrl, env });
    started.defer(gateways.remove);
  });
  afterAll(() => started.disposeAsync());

  test('fails no request, and charges each once', async () => {
    const { one, other } = gateways;
    const { account, token } = await createCustomer(gateways);
    const { key } = await createKey(gateways, account);
    await command(one.dataDir, { kind: 'plans.assign', account, plan: 'production' });
    await command(one.dataDir, { kind: 'wallet-limit', account, requests: 1_000_000 });
    await createWallet(one, token);
    const { chargedUsd: price } = await readMoney(one, account);
    const balancer = startRoundRobin([one.baseUrl, other.baseUrl]);
    const failures = new Set<string>();
    const answered = { reads: 0, creations: 0 };
    let isOver = false;
    const send = async (...args: Parameters<typeof balancer.post>): Promise<boolean> => {
      try {
        const { status, body } = await balancer.post(...args);
        const isGood = status < 300 && !body.includes('"error"');
        if (!isGood) failures.add(`${status} ${body}`);
        return isGood;
      } catch (error) {
        failures.add(String(error));
        return false;
      }
    };
    const read = async (): Promise<void> => {
      while (!isOver) {
        // Below what the plan has in a second, however fast the machine is.
        await setTimeout(READ_PAUSE_MS);
        const call = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
        if (await send(`/solana-localnet?apikey=${key}`, call)) answered.reads++;
      }
    };
    const create = async (): Promise<void> => {
      while (!isOver) {
        const headers = { ...bearer(token), 'idempotency-key': randomUUID() };
        if (await send('/v1/wallets', '{"custody":"managed"}', headers)) answered.creations++;
      }
    };
    const load = Promise.all([
      ...Array.from({ length: READERS }, read),
      ...Array.from({ length: CREATORS }, create),
    ]);
    const goesOn = async (): Promise<void> => {
      const { reads, creations } = answered;
      const isAnswered = () =>
        failures.size > 0 || (answered.reads > reads + BETWEEN && answered.creations > creations + BETWEEN);
      await eventually('requests are answered', () => isAnswered() || undefined, { timeoutMs: 120_000 });
    };
    for (let round = 0; round < ROUNDS; round++)
      for (const gateway of [one, other]) {
        await goesOn();
        await gateway.stop();
        await goesOn();
        await gateway.start();
      }
    await goesOn();
    isOver = true;
    await load;
    balancer.close();
    expect([...failures]).toEqual([]);
    expect(await listWalletIds(one, token)).toHaveLength(answered.creations + 1);
    const { chargedUsd, reservedUsd } = await readMoney(other, account);
    expect([chargedUsd, reservedUsd]).toEqual([expect.closeTo((answered.creations + 1) * price, 6), 0]);
  });

  test('tells sockets to reconnect, and streams go on by themselves without a hole', async () => {
    const { one, other } = gateways;
    const { key } = await createKey(gateways, 'acme');
    const socket = await openSocket(`${one.wsUrl}?apikey=${key}`);
    const client = createStreamClient({ url: one.grpcUrl, apiKey: key, maxPauseMs: 100 });
    const lost: string[] = [];
    const blocks = client.subscribe('slots', { onReconnect: ({ status }) => void lost.push(status) });
    const first = await blocks.next();
    let last = first.value;
    const take = async (count: number): Promise<void> => {
      for (let taken = 0; taken < count; taken++) {
        const { value } = await blocks.next();
        expect(value?.parentSlot).toBe(last?.slot);
        last = value;
      }
    };
    await take(5);
    await one.stop();
    expect(await socket.closed).toMatchObject({ code: 1001 });
    const again = await openSocket(`${other.wsUrl}?apikey=${key}`);
    expect(await again.call('getSlot')).toHaveProperty('result');
    again.close();
    await one.start();
    await take(20);
    expect(lost.length).toBeGreaterThan(0);
    client.close();
  });
}
