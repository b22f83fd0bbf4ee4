import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { ChainServer } from '../lab/nodes/chain-server.ts';
import { createKey } from './customer.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, type Gateways, startGateways } from './start-gateways.ts';

if (GATEWAYS_MISSING === undefined) describe('topics of two gateways', share);
else test('topics of two gateways', (context) => context.skip(GATEWAYS_MISSING));

type Topics = { readonly blocks: string; readonly reads_for_all: boolean };

function share(): void {
  const started = new AsyncDisposableStack();
  const chain = new ChainServer();
  let gateways: Gateways;
  let key = '';
  beforeAll(async () => {
    await chain.start();
    started.defer(() => chain.kill());
    gateways = await startGateways({
      upstreamUrl: chain.url,
      env: { KEYSLOT_REDIS_TOPICS: 'shared' },
    });
    started.defer(gateways.remove);
    ({ key } = await createKey(gateways, 'acme'));
  });
  afterAll(() => started.disposeAsync());

  const topicsOf = async ({ baseUrl }: Gateway): Promise<Topics | undefined> => {
    const signal = AbortSignal.timeout(1_000);
    const answer = fetch(`${baseUrl}/readyz`, { signal }).then((response) => response.json());
    const { topics } = ((await answer.catch(() => undefined)) ?? {}) as {
      readonly topics?: readonly Topics[];
    };
    return topics?.[0];
  };
  const readsForAll = (gateway: Gateway, isReader: boolean) =>
    eventually(`reads for all: ${isReader}`, async () =>
      (await topicsOf(gateway))?.reads_for_all === isReader ? true : undefined,
    );
  /** Follows the slots of a gateway, as a client does, until it is closed. */
  const follow = ({ grpcUrl }: Gateway, resumeSlot?: bigint) => {
    const client = createStreamClient({ url: grpcUrl, apiKey: key, maxPauseMs: 200 });
    const leaving = new AbortController();
    const seen: bigint[] = [];
    const hashes = new Map<bigint, string>();
    const read = async (): Promise<void> => {
      const from = resumeSlot === undefined ? {} : { resumeSlot };
      for await (const { slot, blockhash } of client.subscribe('slots', {
        ...from,
        signal: leaving.signal,
      })) {
        seen.push(slot);
        hashes.set(slot, blockhash);
      }
    };
    const reading = read();
    const close = async (): Promise<void> => {
      leaving.abort();
      await reading;
      client.close();
    };
    const has = (count: number) => eventually(`${count} more slots`, () => seen.length >= count || undefined);
    return { seen, hashes, has, close };
  };
  const expectWhole = (slots: readonly bigint[]) => {
    const [first = 0n] = slots;
    expect(slots).toEqual(slots.map((_, at) => first + BigInt(at)));
  };

  test('a reader that is paused is followed by the other one, writes nothing when it wakes, and no stream misses a slot', async () => {
    const { one, other } = gateways;
    const first = follow(one);
    await first.has(3);
    const second = follow(other);
    await second.has(3);
    await readsForAll(one, true);
    const metrics = await (await fetch(`${one.baseUrl}/metrics`)).text();
    expect(metrics).toContain('keyslot_topics_reader{network="solana-localnet"} 1\n');
    expect(metrics).toContain('keyslot_topics_own_reading{network="solana-localnet"} 0\n');
    process.kill(one.pid(), 'SIGSTOP');
    const sinceMs = performance.now();
    await readsForAll(other, true);
    const takeoverMs = performance.now() - sinceMs;
    await second.has(second.seen.length + 5);
    process.kill(one.pid(), 'SIGCONT');
    await readsForAll(one, false);
    await first.has(first.seen.length + 20);
    await first.close();
    await second.close();
    expect(takeoverMs).toBeLessThan(10_000);
    expectWhole(first.seen);
    expectWhole(second.seen);
    for (const [slot, hash] of second.hashes) expect(first.hashes.get(slot) ?? hash).toBe(hash);
  });

  test('a stream of a gateway that is killed continues at one that has just started, though the node has dropped its blocks', async () => {
    const { one, other } = gateways;
    const [first, second] = [follow(one), follow(other)];
    await Promise.all([first.has(10), second.has(10)]);
    const [at = 0n] = second.seen.slice(-5);
    await second.close();
    process.kill(other.pid(), 'SIGKILL');
    await eventually('it has ended', () => other.ended());
    await other.start();
    await readsForAll(one, true);
    await first.has(first.seen.length + 5);
    chain.node.firstSlot = Number(first.seen.at(-1));
    const third = follow(other, at);
    await third.has(20);
    await Promise.all([first.close(), third.close()]);
    expect(third.seen[0]).toBe(at + 1n);
    expectWhole(third.seen);
    expectWhole(first.seen);
  });
}
