import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/base/eventually.ts';
import { ChainServer } from '../../src/lab/nodes/chain-server.ts';
import { createKey } from './customer.ts';
import { type Gateway, GATEWAYS_MISSING, startGateways } from './start-gateways.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 60_000 });

if (GATEWAYS_MISSING === undefined) describe('files of blocks of gateways', keep);
else test('files of blocks of gateways', (context) => context.skip(GATEWAYS_MISSING));

const MEMORY_SLOTS = 10;

function keep(): void {
  const started: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of started.splice(0).reverse()) await stop();
  });

  const start = async (topics: 'own' | 'shared') => {
    const chain = new ChainServer();
    await chain.start();
    started.push(() => chain.kill());
    const gateways = await startGateways({
      upstreamUrl: chain.url,
      env: { KEYSLOT_REDIS_TOPICS: topics, KEYSLOT_STREAM_HISTORY_SLOTS: String(MEMORY_SLOTS) },
    });
    started.push(gateways.remove);
    const { key } = await createKey(gateways, 'acme');
    /** Follows the slots of a gateway until it is closed. */
    const follow = ({ grpcUrl }: Gateway, resumeSlot?: bigint) => {
      const client = createStreamClient({ url: grpcUrl, apiKey: key, maxPauseMs: 200 });
      const leaving = new AbortController();
      const hashes = new Map<bigint, string>();
      const read = async (): Promise<void> => {
        const from = resumeSlot === undefined ? {} : { resumeSlot };
        const messages = client.subscribe('slots', { ...from, signal: leaving.signal });
        for await (const { slot, blockhash } of messages) hashes.set(slot, blockhash);
      };
      const reading = read();
      const has = (count: number) =>
        eventually(`${count} slots`, () => hashes.size >= count || undefined, { timeoutMs: 120_000 });
      const close = async (): Promise<void> => {
        leaving.abort();
        await reading;
        client.close();
      };
      return { hashes, has, close };
    };
    return { chain, gateways, follow };
  };
  const metricOf = async ({ baseUrl }: Gateway, name: string): Promise<number> => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    return Number(new RegExp(`^keyslot_topics_files_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const killAndStart = async (gateway: Gateway): Promise<void> => {
    process.kill(gateway.pid(), 'SIGKILL');
    await eventually('it has ended', () => gateway.ended());
    await gateway.start();
  };
  const isWholeFrom = (gateway: Gateway, slot: bigint) =>
    eventually(
      'its files are whole',
      async () => {
        const [first, holes] = [await metricOf(gateway, 'first_slot'), await metricOf(gateway, 'holes')];
        return holes === 0 && first > 0 && first <= Number(slot) ? true : undefined;
      },
      { timeoutMs: 120_000 },
    );
  const expectSame = (again: ReadonlyMap<bigint, string>, before: ReadonlyMap<bigint, string>) => {
    const [first = 0n] = again.keys();
    expect([...again.keys()]).toEqual([...again.keys()].map((_, at) => first + BigInt(at)));
    for (const [slot, hash] of before) expect(again.get(slot) ?? hash).toBe(hash);
  };

  test('a stream resumes behind memory over a SIGKILL; what was missed meanwhile was read of the node', async () => {
    const { chain, gateways, follow } = await start('own');
    const first = follow(gateways.one);
    await first.has(4 * MEMORY_SLOTS);
    await killAndStart(gateways.one);
    await first.close();
    const [, at = 0n] = first.hashes.keys();
    const live = follow(gateways.one);
    await live.has(5);
    await isWholeFrom(gateways.one, at);
    chain.node.firstSlot = Number([...live.hashes.keys()].at(-1));
    const again = follow(gateways.one, at);
    await again.has(first.hashes.size + 5);
    expect([...again.hashes.keys()][0]).toBe(at + 1n);
    expectSame(again.hashes, first.hashes);
    expect(await metricOf(gateways.one, 'bytes')).toBeGreaterThan(0);
    expect((await readdir(join(gateways.one.dataDir, 'segments'))).length).toBe(1);
    await Promise.all([live.close(), again.close()]);
  });

  test('with shared blocks what was missed comes from Redis, though no node has it any more', async () => {
    const { chain, gateways, follow } = await start('shared');
    const { one, other } = gateways;
    const [first, second] = [follow(one), follow(other)];
    await Promise.all([first.has(4 * MEMORY_SLOTS), second.has(4 * MEMORY_SLOTS)]);
    await second.close();
    const [, at = 0n] = second.hashes.keys();
    await killAndStart(other);
    chain.node.firstSlot = Number([...first.hashes.keys()].at(-1));
    const live = follow(other);
    await live.has(5);
    await isWholeFrom(other, at);
    const again = follow(other, at);
    await again.has(second.hashes.size + 5);
    expect([...again.hashes.keys()][0]).toBe(at + 1n);
    expectSame(again.hashes, first.hashes);
    await Promise.all([first.close(), live.close(), again.close()]);
  });
}
