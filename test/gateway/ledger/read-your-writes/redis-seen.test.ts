import { createSecretKey } from 'node:crypto';
import { createClient } from '@redis/client';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import {
  nameReaders,
  openRedisSeen,
  type RedisSeen,
  type SeenReport,
} from '../../../../src/gateway/ledger/read-your-writes/redis-seen.ts';
import { startCutProxy } from '../../../lab/faults/cut-proxy.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../../../support/redis.ts';

const redis = await findRedis();

if (redis === undefined) test('reports through Redis', (context) => context.skip(REDIS_MISSING));
else describe('reports through Redis', () => onRedis(redis));

const NO_MARKS = [0, 0, 0, 0, 0, 0];
const nameOf = nameReaders(createSecretKey(Buffer.alloc(32, 7)));

function reportOf(slot: number, readers: readonly string[] = ['k']): SeenReport {
  const seen = readers.map(
    (keyId) => [nameOf({ accountId: 'a', keyId }), [slot, 5, 0, 0, 0, 0], NO_MARKS] as const,
  );
  return { network: 'solana-devnet', seen };
}

function onRedis(url: string): void {
  const opened: RedisSeen[] = [];
  afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));
  const open = async (prefix: string, at = url, maxBytes?: number) => {
    const told: { readonly report: SeenReport; readonly ageMs: number }[] = [];
    const losses: string[] = [];
    const seen = openRedisSeen({
      url: at,
      prefix,
      onUp: () => undefined,
      onLost: (reason) => losses.push(reason),
      ...(maxBytes !== undefined && { maxBytes }),
      // A busy machine is no lost Redis. One that is to be lost is closed.
      answerMs: 30_000,
      onReport: (report, ageMs) => told.push({ report, ageMs }),
    });
    opened.push(seen);
    const becomes = (isUp: boolean) => eventually(`up: ${isUp}`, () => seen.isUp() === isUp || undefined);
    await becomes(true);
    return { seen, told, losses, becomes };
  };
  const hears = (told: readonly unknown[], count: number) =>
    eventually(`${count} are told`, () => told.length >= count || undefined, { intervalMs: 5 });

  test('a report reaches every other gateway of the installation, and not its sender', async () => {
    const prefix = uniquePrefix();
    const [one, other, foreign] = [await open(prefix), await open(prefix), await open(uniquePrefix())];
    await one.seen.send(reportOf(1));
    await other.seen.send(reportOf(2));
    await Promise.all([hears(one.told, 1), hears(other.told, 1)]);
    expect(one.told.map(({ report }) => report)).toEqual([reportOf(2)]);
    expect(other.told.map(({ report }) => report)).toEqual([reportOf(1)]);
    expect(foreign.told).toEqual([]);
  });

  test('a gateway that starts later is told what was reported in the minute before, with its age', async () => {
    const prefix = uniquePrefix();
    const one = await open(prefix);
    await one.seen.send(reportOf(1));
    const sentAt = performance.now();
    await eventually('time passes', () => performance.now() - sentAt > 100 || undefined);
    const late = await open(prefix);
    await hears(late.told, 1);
    expect(late.told[0]?.report).toEqual(reportOf(1));
    expect(late.told[0]?.ageMs).toBeGreaterThanOrEqual(90);
  });

  test('while Redis is lost reports fail at once, and when it is back they reach the others', async () => {
    const proxy = await startCutProxy(Number(new URL(url).port || 6379));
    try {
      const prefix = uniquePrefix();
      const one = await open(prefix, `redis://127.0.0.1:${proxy.port}`);
      const other = await open(prefix);
      proxy.isDown = true;
      proxy.cut();
      await one.becomes(false);
      await expect(one.seen.send(reportOf(1))).rejects.toThrow();
      // Reports of the others meanwhile are read when it is back.
      await other.seen.send(reportOf(2));
      proxy.isDown = false;
      await one.becomes(true);
      await one.seen.send(reportOf(3));
      await Promise.all([hears(one.told, 1), hears(other.told, 1)]);
      expect([one.told[0]?.report, other.told[0]?.report]).toEqual([reportOf(2), reportOf(3)]);
      expect(one.losses.length).toBeGreaterThan(0);
    } finally {
      await Promise.all(opened.splice(0).map(({ close }) => close()));
      await proxy.close();
    }
  });

  /** The stream itself, as an operator sees it. */
  const withStream = async <T>(
    question: (client: ReturnType<typeof createClient>) => Promise<T>,
  ): Promise<T> => {
    const client = createClient({ url });
    await client.connect();
    try {
      return await question(client as ReturnType<typeof createClient>);
    } finally {
      client.destroy();
    }
  };

  test('the stream holds no more bytes than it may, and the newest reports', async () => {
    const prefix = uniquePrefix();
    const maxBytes = 256 * 1024;
    const one = await open(prefix, url, maxBytes);
    const readers = Array.from({ length: 100 }, (_, at) => `k${at}`);
    for (let slot = 1; slot <= 200; slot++) await one.seen.send(reportOf(slot, readers));
    const sizeBytes = await withStream((client) => client.memoryUsage(`${prefix}seen`, { SAMPLES: 0 }));
    // 200 reports have 1.7 MB. Beyond what is kept, some are on their way, and Redis trims whole blocks.
    expect(sizeBytes).toBeLessThan(2 * maxBytes);
    const late = await open(prefix, url, maxBytes);
    await hears(late.told, 20);
    expect(late.told.at(-1)?.report).toEqual(reportOf(200, readers));
  });

  test('nobody learns from Redis which session has read', async () => {
    const prefix = uniquePrefix();
    const one = await open(prefix);
    const reader = { accountId: 'a', keyId: 'a-key', session: 'carol@example.org' };
    await one.seen.send({ network: 'solana-devnet', seen: [[nameOf(reader), NO_MARKS, NO_MARKS]] });
    const entries = await withStream((client) => client.xRange(`${prefix}seen`, '-', '+'));
    const { readers = '', ...rest } = entries?.[0]?.message ?? {};
    const kept = [JSON.stringify(rest), readers, Buffer.from(readers, 'base64').toString('latin1')].join();
    expect(kept).not.toMatch(/a-key|carol/);
    // The name cannot be had without the key of the installation.
    const stranger = nameReaders(createSecretKey(Buffer.alloc(32, 8)));
    expect(Buffer.from(readers, 'base64').subarray(0, 16).toString('base64url')).toBe(nameOf(reader));
    expect(stranger(reader)).not.toBe(nameOf(reader));
    expect(nameOf({ accountId: 'a', keyId: reader.keyId })).not.toBe(nameOf(reader));
  });

  test('entries of the version before are left out, and it leaves out those of this one', async () => {
    const prefix = uniquePrefix();
    const one = await open(prefix);
    const old = { gateway: 'old', network: 'solana-devnet' };
    const seen = JSON.stringify([['k', null, [9, 5, 0, 0, 0, 0], NO_MARKS]]);
    const strange = [{ ...old, seen }, { ...old, readers: 'AAAA' }, { ...old, readers: '' }, { other: '1' }];
    for (const entry of strange) await withStream((client) => client.xAdd(`${prefix}seen`, '*', entry));
    const other = await open(prefix);
    await other.seen.send(reportOf(1));
    await hears(one.told, 1);
    expect(one.told.map(({ report }) => report)).toEqual([reportOf(1)]);
    // The version before reads the field `seen`, and nothing of an entry without it.
    const entries = await withStream((client) => client.xRange(`${prefix}seen`, '-', '+'));
    expect(entries?.at(-1)?.message).not.toHaveProperty('seen');
  });
}
