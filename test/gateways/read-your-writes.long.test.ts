import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { encodeBase58 } from '../../src/localnet/bytes/base58.ts';
import { ChainServer } from '../lab/nodes/chain-server.ts';
import { type CutProxy, startCutProxy } from '../lab/faults/cut-proxy.ts';
import { postJson } from '../support/post-json.ts';
import { createKey } from './customer.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, type Gateways, redisPort, startGateways } from './start-gateways.ts';

/** Slots that the node of the second gateway is behind: more than come while a test runs. */
const LAG = 5_000;
const BEHIND = -32016;

if (GATEWAYS_MISSING === undefined) describe('own reads of two gateways', share);
else test('own reads of two gateways', (context) => context.skip(GATEWAYS_MISSING));

function share(): void {
  const started = new AsyncDisposableStack();
  const [ahead, behind] = [new ChainServer(), new ChainServer()];
  let gateways: Gateways;
  let redis: CutProxy;
  let key = '';
  beforeAll(async () => {
    behind.node.lag = LAG;
    for (const server of [ahead, behind]) {
      await server.start();
      started.defer(() => server.kill());
    }
    redis = await startCutProxy(redisPort());
    started.defer(redis.close);
    gateways = await startGateways({
      upstreamUrl: ahead.url,
      otherUpstreamUrl: behind.url,
      env: {
        KEYSLOT_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
        KEYSLOT_UPSTREAM_OWN_READS_WAIT_MS: '100',
      },
    });
    started.defer(gateways.remove);
    ({ key } = await createKey(gateways, 'acme'));
  });
  afterAll(() => started.disposeAsync());

  /** The slot that a session is shown, or the code of the error. No answer is one that is kept: each asks for another address. */
  const read = async ({ rpcUrl }: Gateway, session: string) => {
    const address = encodeBase58(randomBytes(32));
    const params = [address, { commitment: 'confirmed' }];
    const call = { jsonrpc: '2.0', id: 1, method: 'getBalance', params };
    const { body } = await postJson(`${rpcUrl}?apikey=${key}`, call, { 'keyslot-session': session });
    const { result, error } = body as {
      readonly result?: { readonly context: { readonly slot: number } };
      readonly error?: { readonly code: number };
    };
    return { slot: result?.context.slot ?? 0, code: error?.code };
  };
  const isRefused = (session: string) =>
    eventually('the other gateway shows no less', async () =>
      (await read(gateways.other, session)).code === BEHIND ? true : undefined,
    );
  const isShared = (isUp: boolean) =>
    eventually(`what readers have seen is shared: ${isUp}`, async () => {
      const texts = await Promise.all(
        [gateways.one, gateways.other].map(async ({ baseUrl }) => (await fetch(`${baseUrl}/metrics`)).text()),
      );
      return (
        texts.every((text) => text.includes(`\nkeyslot_own_reads_shared ${isUp ? 1 : 0}\n`)) || undefined
      );
    });

  test('a client that continues at another gateway is shown nothing older, and its answer when the node is there', async () => {
    const { one, other } = gateways;
    await isShared(true);
    const session = randomUUID();
    const old = await read(other, session);
    const { slot } = await read(one, session);
    expect(old.slot).toBeLessThan(slot - 1_000);
    await isRefused(session);
    // A session that has seen nothing newer reads there.
    expect((await read(other, randomUUID())).slot).toBeGreaterThan(0);
    behind.node.lag = 0;
    const answer = await eventually('the node has come', async () => {
      const now = await read(other, session);
      return now.code === undefined ? now : undefined;
    });
    expect(answer.slot).toBeGreaterThanOrEqual(slot);
    // It stands still from here on.
    behind.node.lag = LAG;
  });

  test('without Redis each gateway knows what it has shown itself, and tells the other when it is back', async () => {
    const { one, other } = gateways;
    redis.isDown = true;
    redis.cut();
    await isShared(false);
    const session = randomUUID();
    const { slot } = await eventually('the other node is behind', async () => {
      const [mine, others] = [await read(one, session), await read(other, randomUUID())];
      return others.slot < mine.slot ? mine : undefined;
    });
    const older = await read(other, session);
    expect(older.code).toBeUndefined();
    expect(older.slot).toBeLessThan(slot);
    redis.isDown = false;
    await isShared(true);
    await isRefused(session);
    expect(other.stderr()).toContain('Redis is lost: until it is back, other gateways may show readers less');
  });
}
