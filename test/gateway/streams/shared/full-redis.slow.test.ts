import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { RedisBlocks } from '../../../../src/gateway/streams/shared/redis-blocks.ts';
import { freePortPair } from '../../../support/free-port-pair.ts';
import { REDIS_MISSING } from '../../../support/redis.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { replyOf } from '../reply-of.ts';
import { NETWORK, openBlocks } from './open-gateway.ts';

const hasBinary = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
if (hasBinary) describe('a Redis whose memory is full', full);
else test('a Redis whose memory is full', (context) => context.skip(REDIS_MISSING));

function full(): void {
  let server: ChildProcess;
  let redis: RedisBlocks;
  let url = '';
  let slot = 100;
  const ledger = createScriptedLedger(slot);
  beforeAll(async () => {
    const port = await freePortPair();
    const memory = ['--maxmemory', '6mb', '--maxmemory-policy', 'noeviction', '--save', ''];
    server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...memory], {
      stdio: 'ignore',
    });
    url = `redis://127.0.0.1:${port}`;
    redis = openBlocks({ prefix: '', url, maxBytes: 10 ** 9 });
    await eventually('Redis is there', () => redis.isUp() || undefined, { intervalMs: 20 });
  });
  afterAll(async () => {
    await redis.close();
    server.kill('SIGKILL');
    await once(server, 'exit');
  });
  test('drops older blocks for new ones, a term begins, and there is memory for others again', async () => {
    const blocks = redis.of(NETWORK);
    const claim = { genesis: 'g', newestSlot: 100n, reachSlots: 1_000 };
    const appendTo = async (term: number) => {
      ledger.grow(++slot);
      const block = await ledger.block(BigInt(slot), 0n);
      const filler = Buffer.from(`/*${randomBytes(100_000).toString('hex')}*/`);
      return await blocks.append({ term, block, reply: Buffer.concat([replyOf(block), filler]) });
    };
    await blocks.claim({ ...claim, term: 1 });
    for (let count = 0; count < 80; count++) expect(await appendTo(1)).toBe('taken');
    const { base = 0n } = (await blocks.head()) ?? {};
    expect(base).toBeGreaterThan(100n);
    expect((await blocks.firstAfter(0n))?.slot).toBe(base + 1n);
    const others = createClient({ url });
    await others.connect();
    const fill = async (): Promise<unknown> => {
      for (;;)
        try {
          await others.rPush('others', 'x'.repeat(50_000));
        } catch (error) {
          return error;
        }
    };
    expect(String(await fill())).toContain('OOM');
    expect(await blocks.claim({ ...claim, term: 2 })).toMatchObject({ slot: BigInt(slot) });
    expect(await appendTo(2)).toBe('taken');
    await others.rPush('others', 'x');
    expect(String(await fill())).toContain('OOM');
    expect(await blocks.claim({ ...claim, term: 3, reachSlots: -1 })).toMatchObject({ slot: 100n });
    others.destroy();
  });
}
