import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { ChainServer } from '../lab/nodes/chain-server.ts';
import { createKey } from './customer.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, type Gateways, startGateways } from './start-gateways.ts';

if (GATEWAYS_MISSING === undefined) describe('two gateways with nodes of their own', run);
else test('two gateways with nodes of their own', (context) => context.skip(GATEWAYS_MISSING));

const LAG_SLOTS = 200;

function run(): void {
  const started = new AsyncDisposableStack();
  const [chain, otherChain] = [new ChainServer(), new ChainServer()];
  let gateways: Gateways;
  let key = '';
  beforeAll(async () => {
    for (const each of [chain, otherChain]) {
      await each.start();
      started.defer(() => each.kill());
    }
    gateways = await startGateways({
      upstreamUrl: chain.url,
      otherUpstreamUrl: otherChain.url,
      env: { KEYSLOT_REDIS_TOPICS: 'shared' },
    });
    started.defer(gateways.remove);
    ({ key } = await createKey(gateways, 'acme'));
  });
  afterAll(() => started.disposeAsync());

  const readsForAll = (gateway: Gateway, isReader: boolean) =>
    eventually(
      `reads for all: ${isReader}`,
      async () => {
        const answer = await fetch(`${gateway.baseUrl}/readyz`);
        const { topics } = (await answer.json()) as {
          readonly topics?: readonly { reads_for_all: boolean }[];
        };
        return topics?.[0]?.reads_for_all === isReader || undefined;
      },
      { timeoutMs: 90_000 },
    );
  const follow = ({ grpcUrl }: Gateway) => {
    const client = createStreamClient({ url: grpcUrl, apiKey: key });
    const leaving = new AbortController();
    const seen: bigint[] = [];
    const read = async (): Promise<void> => {
      for await (const { slot } of client.subscribe('slots', { signal: leaving.signal })) seen.push(slot);
    };
    const reading = read();
    const close = async (): Promise<void> => {
      leaving.abort();
      await reading;
      client.close();
    };
    const has = (count: number) =>
      eventually(`${count} slots`, () => seen.length >= count || undefined, { timeoutMs: 90_000 });
    return { seen, has, close };
  };

  test('the reading passes on when the node of the reader falls behind, and no stream misses a slot', async () => {
    const { one, other } = gateways;
    const first = follow(one);
    await readsForAll(one, true);
    const second = follow(other);
    await Promise.all([first.has(3), second.has(3)]);
    chain.node.lag = LAG_SLOTS;
    await readsForAll(other, true);
    await readsForAll(one, false);
    await Promise.all([first, second].map(({ seen, has }) => has(seen.length + 20)));
    await Promise.all([first.close(), second.close()]);
    for (const { seen } of [first, second])
      expect(seen).toEqual(seen.map((_, at) => (seen[0] ?? 0n) + BigInt(at)));
  });
}
