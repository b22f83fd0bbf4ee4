import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { ChainServer } from '../lab/nodes/chain-server.ts';
import { createKey } from './customer.ts';
import { expectSameSlots, fileMetric, filesReachBackTo, followSlots } from './follow-slots.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, startGateways } from './start-gateways.ts';

vi.setConfig({ testTimeout: 400_000 });

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
    const follow = (gateway: Gateway, resumeSlot?: bigint) => followSlots(gateway, key, resumeSlot);
    return { chain, gateways, follow };
  };
  const killAndStart = async (gateway: Gateway): Promise<void> => {
    process.kill(gateway.pid(), 'SIGKILL');
    await eventually('it has ended', () => gateway.ended());
    await gateway.start();
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
    await filesReachBackTo(gateways.one, at);
    chain.node.firstSlot = Number([...live.hashes.keys()].at(-1));
    const again = follow(gateways.one, at);
    await again.has(first.hashes.size + 5);
    expect([...again.hashes.keys()][0]).toBe(at + 1n);
    expectSameSlots(again.hashes, first.hashes);
    expect((await fileMetric(gateways.one, 'bytes'))[0]).toBeGreaterThan(0);
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
    await filesReachBackTo(other, at);
    const again = follow(other, at);
    await again.has(second.hashes.size + 5);
    expect([...again.hashes.keys()][0]).toBe(at + 1n);
    expectSameSlots(again.hashes, first.hashes);
    await Promise.all([first.close(), live.close(), again.close()]);
  });
}
