import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { createClient, RESP_TYPES } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { Block } from '../../../../src/gateway/streams/block/block.ts';
import { packBlock } from '../../../../src/gateway/streams/shared/pack-block.ts';
import type { RedisBlocks } from '../../../../src/gateway/streams/shared/redis-blocks.ts';
import { uniquePrefix } from '../../../support/redis.ts';
import { replyOf } from '../reply-of.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';
import {
  forget,
  NETWORK,
  openBlocks,
  openOwnStore,
  REDIS_URL,
  SHARING_MISSING,
  termsOf,
} from './open-gateway.ts';

const UNSIGNED = 'the block of slot 101 in Redis is not signed by this installation';

if (SHARING_MISSING === undefined) {
  describe('shared blocks', onRedis);
  describe('the term of a reader', onStore);
} else test('shared blocks', (context) => context.skip(SHARING_MISSING));

function onRedis(): void {
  const opened: RedisBlocks[] = [];
  const prefix = uniquePrefix();
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ close }) => close()));
    await forget(prefix);
  });
  const open = async (options: { readonly maxBytes?: number; readonly key?: KeyObject } = {}) => {
    const redis = openBlocks({ prefix, ...options });
    opened.push(redis);
    await eventually('Redis is there', () => redis.isUp() || undefined, { intervalMs: 5 });
    return redis.of(NETWORK);
  };
  const ledger = createScriptedLedger(100);
  ledger.grow(...Array.from({ length: 30 }, (_, at) => 101 + at));
  const blockAt = (slot: number): Promise<Block> => ledger.block(BigInt(slot), 0n);
  const claim = (term: number) => ({ term, genesis: 'g', newestSlot: 100n, reachSlots: 10 });
  const appendAt = async (blocks: Awaited<ReturnType<typeof open>>, term: number, slot: number) => {
    const block = await blockAt(slot);
    return await blocks.append({ term, block, reply: replyOf(block) });
  };

  test('a reader of an earlier term writes nothing, whatever it believes', async () => {
    const [earlier, later] = [await open(), await open()];
    expect(await earlier.claim(claim(1))).toEqual({ slot: 100n, blockhash: undefined });
    expect(await appendAt(earlier, 1, 101)).toBe('taken');
    const { blockhash } = await blockAt(101);
    expect(await later.claim(claim(2))).toEqual({ slot: 101n, blockhash });
    expect(await appendAt(earlier, 1, 102)).toBe('term');
    expect(await later.firstAfter(101n)).toBeUndefined();
    expect(await earlier.claim(claim(1))).toBeUndefined();
    expect(await appendAt(later, 2, 102)).toBe('taken');
    expect((await earlier.firstAfter(101n))?.slot).toBe(102n);
  });

  test('a block is there once, and only after the one that it descends from', async () => {
    const blocks = await open();
    await blocks.claim(claim(1));
    expect(await appendAt(blocks, 1, 101)).toBe('taken');
    expect(await appendAt(blocks, 1, 101)).toBe('taken');
    expect(await appendAt(blocks, 1, 103)).toBe('chain');
    expect(await appendAt(blocks, 1, 100)).toBe('chain');
    const found = await blocks.firstAfter(100n);
    expect(await found?.read()).toMatchObject({ slot: 101n, parentSlot: 100n, rootSlot: 69n });
    expect(await blocks.firstAfter(101n)).toBeUndefined();
  });

  test('a block that another installation has written, or that was changed or moved, is not read', async () => {
    const blocks = await open();
    await blocks.claim(claim(1));
    await appendAt(blocks, 1, 101);
    const stranger = await open({ key: createSecretKey(Buffer.alloc(32, 8)) });
    const reads = async (from: typeof blocks) =>
      await (await from.firstAfter(100n))?.read().catch((error: unknown) => error);
    expect(await reads(stranger)).toMatchObject({ code: 'upstreamBroken', cause: { message: UNSIGNED } });
    expect(await reads(blocks)).toMatchObject({ slot: 101n });
    const client = createClient({ url: REDIS_URL });
    await client.connect();
    const key = `${prefix}topics:{${NETWORK}}:blocks`;
    const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    const { message = {} } = (await binary.xRange(key, '-', '+'))?.[0] ?? {};
    const put = async (id: string, changed: Readonly<Record<string, Buffer>>) => {
      await client.del(key);
      await client.xAdd(key, id, { ...message, ...changed });
    };
    await put('101-0', {});
    expect(await reads(blocks)).toMatchObject({ slot: 101n });
    const other = await packBlock(replyOf(await blockAt(102)));
    const changes = [{ block: other }, { final: '101' }, { run: '2-100' }, { hash: 'x' }, { tag: '' }];
    for (const change of changes) {
      const [[name = '', value = ''] = []] = Object.entries(change);
      await put('101-0', { [name]: Buffer.from(value) });
      expect(await reads(blocks), name).toMatchObject({ cause: { message: UNSIGNED } });
    }
    await put('105-0', {});
    expect(await reads(blocks)).toMatchObject({ code: 'upstreamBroken' });
    client.destroy();
  });

  test('blocks that Redis has dropped are not said to be there', async () => {
    const blocks = await open();
    await blocks.claim(claim(1));
    await appendAt(blocks, 1, 101);
    await appendAt(blocks, 1, 102);
    const client = createClient({ url: REDIS_URL });
    await client.connect();
    await client.del(`${prefix}topics:{${NETWORK}}:blocks`);
    client.destroy();
    expect(await appendAt(blocks, 1, 103)).toBe('taken');
    expect(await blocks.head()).toMatchObject({ base: 102n, slot: 103n });
    expect((await blocks.firstAfter(0n))?.slot).toBe(103n);
  });

  test('nothing is kept for ever', async () => {
    const blocks = await open();
    const client = createClient({ url: REDIS_URL });
    await client.connect();
    const expire = async (): Promise<readonly boolean[]> => {
      const keys = await client.keys(`${prefix}*`);
      return await Promise.all(keys.map(async (key) => (await client.pTTL(key)) > 3_500_000));
    };
    await blocks.claim(claim(1));
    expect(await expire()).toEqual([true]);
    await appendAt(blocks, 1, 101);
    expect(await expire()).toEqual([true, true, true]);
    client.destroy();
  });

  test('blocks of another ledger, or too far before the newest one, are dropped', async () => {
    const blocks = await open();
    await blocks.claim(claim(1));
    await appendAt(blocks, 1, 101);
    const { blockhash } = await blockAt(101);
    // A node that lags does not take away what others have read.
    expect(await blocks.claim({ ...claim(1), newestSlot: 50n })).toEqual({ slot: 101n, blockhash });
    const run = (await blocks.head())?.run;
    expect(await blocks.claim({ ...claim(2), newestSlot: 112n })).toEqual({
      slot: 112n,
      blockhash: undefined,
    });
    expect(await blocks.firstAfter(0n)).toBeUndefined();
    expect(await blocks.head()).toMatchObject({ base: 112n, genesis: 'g' });
    expect((await blocks.head())?.run).not.toBe(run);
    expect(await blocks.claim({ ...claim(3), newestSlot: 112n, reachSlots: -1 })).toMatchObject({
      slot: 112n,
    });
    expect(await blocks.claim({ ...claim(3), genesis: 'h' })).toEqual({ slot: 100n, blockhash: undefined });
  });

  test('the oldest are dropped beyond the bytes that they may take, and it is told where they begin', async () => {
    const blocks = await open({ maxBytes: 20_000 });
    await blocks.claim(claim(1));
    for (let slot = 101; slot <= 130; slot++) {
      const block = await blockAt(slot);
      const reply = Buffer.concat([replyOf(block), Buffer.from(`/*${randomBytes(1_500).toString('hex')}*/`)]);
      expect(await blocks.append({ term: 1, block, reply })).toBe('taken');
    }
    const { base = 0n } = (await blocks.head()) ?? {};
    expect(base).toBeGreaterThan(110n);
    expect(base).toBeLessThan(125n);
    expect((await blocks.firstAfter(0n))?.slot).toBe(base + 1n);
    const reader = blocks.openReader();
    await eventually('it is connected', () => reader.isUp() || undefined, { intervalMs: 5 });
    expect((await reader.read(127n, 10)).map(({ slot }) => slot)).toEqual([128n, 129n, 130n]);
    expect(await reader.read(130n, 10)).toEqual([]);
    await reader.close();
  });
}

function onStore(): void {
  let own: Awaited<ReturnType<typeof openOwnStore>>;
  beforeAll(async () => {
    own = await openOwnStore();
  });
  afterAll(() => own.remove());

  test('is taken over from a process that has had it for longer than is said', async () => {
    const network = 'solana-devnet';
    const [one, other] = [termsOf(own.store), termsOf(own.store)];
    const first = await one.hold(network);
    expect(await other.hold(network, 60_000)).toBeUndefined();
    const second = await eventually('it is old enough', () => other.hold(network, 100), { intervalMs: 5 });
    expect(second.number - (first?.number ?? 0)).toBeGreaterThan(100);
    expect(await one.hold(network)).toBeUndefined();
    expect((await other.hold(network))?.number).toBe(second.number);
    await other.leave(network, second.number);
  });

  test('is of one process until it leaves or does not renew it, and the next one is larger', async () => {
    const [one, other] = [termsOf(own.store), termsOf(own.store)];
    const first = await one.hold(NETWORK);
    expect(first?.number).toBeGreaterThan(1_700_000_000_000);
    expect(await other.hold(NETWORK)).toBeUndefined();
    expect((await one.hold(NETWORK))?.number).toBe(first?.number);
    await one.leave(NETWORK, first?.number ?? 0);
    const second = await other.hold(NETWORK);
    expect(second?.number).toBeGreaterThan(first?.number ?? Infinity);
    expect(await one.hold(NETWORK)).toBeUndefined();
    const third = await eventually('it has ended', () => one.hold(NETWORK));
    expect(performance.now()).toBeGreaterThan(second?.untilMs ?? Infinity);
    expect(third.number).toBeGreaterThan(second?.number ?? Infinity);
    await other.leave(NETWORK, second?.number ?? 0);
    expect((await one.hold(NETWORK))?.number).toBe(third.number);
  });
}
