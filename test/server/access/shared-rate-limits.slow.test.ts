import { createClient } from '@redis/client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { nearestOffset, openRedisCounts } from '../../../src/server/access/shared-limit/redis-counts.ts';
import type { Report, SharedCounts } from '../../../src/server/access/shared-limit/shared-counts.ts';
import {
  createSharedRateLimits,
  type WhenLost,
} from '../../../src/server/access/shared-limit/shared-rate-limits.ts';
import { findRedis, REDIS_MISSING, uniquePrefix } from '../../support/redis.ts';
import { STEPS } from '../../../src/server/access/rate-limit.ts';
import { describeRateLimit } from './rate-limit-suite.ts';

const PLAN = { name: 'test', requestsPerSecond: 100, burst: 500 };
const WINDOW_MS = 5_000;
const MERGE_MS = 50;
/** A busy machine is no lost Redis. */
const PATIENT_MS = 30_000;

const url = await findRedis();

if (url === undefined) test('limits that servers share', (context) => context.skip(REDIS_MISSING));
else describe('limits that servers share', () => onRedis(url));

function onRedis(redisUrl: string): void {
  const opened: { readonly close: () => Promise<void> }[] = [];
  afterAll(() => Promise.all(opened.map(({ close }) => close())));

  /** Counts in Redis whose clock the test moves; Redis forgets no key meanwhile. */
  const openCounts = async (prefix: string, now: () => number) => {
    const up = Promise.withResolvers<void>();
    const counts = openRedisCounts({
      url: redisUrl,
      prefix,
      onUp: up.resolve,
      onLost: () => undefined,
      answerMs: PATIENT_MS,
    });
    opened.push(counts);
    await up.promise;
    const report = (sent: Report) => counts.report({ ...sent, keepMs: 60_000 });
    return { isUp: counts.isUp, now, report } satisfies SharedCounts;
  };
  const openServers = async (count: number, whenLost: WhenLost = 'open') => {
    const clock = { nowMs: 0 };
    const prefix = uniquePrefix();
    const places = await Promise.all(
      Array.from({ length: count }, () => openCounts(prefix, () => clock.nowMs)),
    );
    const servers = places.map((counts) => createSharedRateLimits(counts, whenLost));
    const mergeAll = () => Promise.all(servers.map(({ merge }) => merge()));
    return { clock, prefix, servers, mergeAll, limits: servers.map(({ of }) => of('call')) };
  };

  describe('', async () => {
    let nowMs = 0;
    const counts = await openCounts(uniquePrefix(), () => nowMs);
    let uses = 0;
    describeRateLimit('in Redis', {
      create: () => {
        nowMs = Math.ceil(nowMs / 100_000) * 100_000;
        return createSharedRateLimits(counts, 'open').of(`use-${uses++}`);
      },
      advance: (ms) => {
        nowMs += ms;
      },
    });
  });

  test('over a minute at twice the rate, two servers let through what the plan says', async () => {
    const { clock, mergeAll, limits } = await openServers(2);
    let allowed = 0;
    for (; clock.nowMs < 60_000; clock.nowMs += MERGE_MS) {
      for (const limit of limits)
        for (let call = 0; call < 5; call++) {
          if ((await limit.take('k', PLAN, 1)).isAllowed) allowed++;
        }
      await mergeAll();
    }
    const promised = 60 * PLAN.requestsPerSecond;
    expect(Math.abs(allowed - promised) / promised).toBeLessThan(0.05);
  });

  test('a burst after a pause exceeds the plan by no more than what arrives before the merge, and then by nothing', async () => {
    const { clock, mergeAll, limits } = await openServers(2);
    const use = async (calls: number): Promise<number> => {
      let allowed = 0;
      for (let call = 0; call < calls; call++)
        for (const limit of limits) if ((await limit.take('k', PLAN, 1)).isAllowed) allowed++;
      return allowed;
    };
    expect(await use(200)).toBe(400);
    await mergeAll();
    expect(await use(100)).toBe(200);
    await mergeAll();
    for (const _half of [1, 2]) {
      expect(await use(100)).toBe(0);
      clock.nowMs += WINDOW_MS / 2;
    }
    expect(await use(300)).toBe(500);
  });

  test('a Redis that comes back empty gives no key its burst again where that was used', async () => {
    const { prefix, mergeAll, limits } = await openServers(2);
    for (const limit of limits) expect(await limit.take('k', PLAN, 240)).toMatchObject({ isAllowed: true });
    await mergeAll();
    await forgetAll(redisUrl, prefix);
    for (const limit of limits) expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: true });
    await mergeAll();
    for (const limit of limits) expect(await limit.take('k', PLAN, 262)).toMatchObject({ isAllowed: false });
  });

  test('a Redis whose clock is set back, or another one that takes its place, lifts no limit', async () => {
    const { clock, mergeAll, limits } = await openServers(2);
    clock.nowMs = 600_000;
    for (const limit of limits) await limit.take('k', PLAN, 1);
    await mergeAll();
    let allowed = 0;
    for (clock.nowMs = 0; clock.nowMs < WINDOW_MS / 2; clock.nowMs += MERGE_MS) {
      for (const limit of limits) if ((await limit.take('k', PLAN, 20)).isAllowed) allowed += 20;
      await mergeAll();
    }
    expect(allowed).toBeLessThanOrEqual(PLAN.burst + 2 * 20);
    expect(allowed).toBeGreaterThan(PLAN.burst / 2);
  });

  test('a server whose own clock is wrong reports by that of Redis from the first report on', async () => {
    const nowMs = Date.now();
    using clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs - 3_600_000);
    const up = Promise.withResolvers<void>();
    const prefix = uniquePrefix();
    const counts = openRedisCounts({ url: redisUrl, prefix, onUp: up.resolve, onLost: () => undefined });
    opened.push(counts);
    expect(counts.isUp()).toBe(false);
    await up.promise;
    expect(clock).toHaveBeenCalled();
    expect([counts.isUp(), Math.abs(counts.now() - nowMs) < 60_000]).toEqual([true, true]);
  });

  test('what one server refused is not had from another one, once that has heard of it', async () => {
    const { servers, limits } = await openServers(2);
    await limits[0]?.take('k', PLAN, 500);
    await limits[1]?.take('k', PLAN, 1);
    // One after the other: the first to report hears nothing of the other.
    for (const { merge } of servers) await merge();
    expect(await limits[1]?.take('k', PLAN, 1)).toMatchObject({ isAllowed: false, remaining: 0 });
  });
}

/** Deletes the keys, as a restart of a Redis that keeps nothing on disk does. */
async function forgetAll(redisUrl: string, prefix: string): Promise<void> {
  const client = await createClient({ url: redisUrl }).connect();
  const keys = await client.keys(`${prefix}*`);
  expect(keys.length).toBeGreaterThan(0);
  await client.del(keys);
  client.destroy();
}

describe('without the common counts', () => {
  const openAlone = (whenLost: WhenLost) => {
    const state = { isUp: true, nowMs: 0, reports: [] as Report[], isAnswering: Promise.resolve() };
    const counts: SharedCounts = {
      isUp: () => state.isUp,
      now: () => state.nowMs,
      report: async (report) => {
        if (!state.isUp) throw new Error('lost');
        state.reports.push(report);
        const steps = new Map(state.reports.flatMap(({ used }) => [...used]));
        await state.isAnswering;
        return { isAllowed: report.wish !== undefined, steps };
      },
    };
    return { state, shared: createSharedRateLimits(counts, whenLost) };
  };

  test('a server limits alone where that is set, and reports what it allowed when they are back', async () => {
    const { state, shared } = openAlone('open');
    const limit = shared.of('call');
    state.isUp = false;
    expect(await limit.take('k', PLAN, 500)).toMatchObject({ isAllowed: true });
    expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: false });
    await shared.merge();
    expect(state.reports).toEqual([]);
    state.isUp = true;
    await shared.merge();
    expect(state.reports).toMatchObject([{ used: new Map([[0, 500]]) }]);
    expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: false });
  });

  test('a server refuses where that is set, names it, and continues when they are back', async () => {
    const { state, shared } = openAlone('closed');
    const limit = shared.of('call');
    state.isUp = false;
    await expect(limit.take('k', PLAN, 1)).rejects.toMatchObject({ code: 'limitsUnavailable' });
    await expect(limit.look('k', PLAN)).rejects.toMatchObject({ code: 'limitsUnavailable' });
    state.isUp = true;
    expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: true });
  });

  test('while they are lost for long, what counts no longer is forgotten', async () => {
    const { state, shared } = openAlone('open');
    const limit = shared.of('call');
    state.isUp = false;
    for (let steps = 0; steps < 1_000; steps++) {
      expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: true });
      await shared.merge();
      state.nowMs += WINDOW_MS / 10;
    }
    state.isUp = true;
    await shared.merge();
    expect(state.reports).toHaveLength(1);
    expect(state.reports[0]?.used.size).toBeLessThanOrEqual(STEPS);

    state.isUp = false;
    await limit.take('k', PLAN, 1);
    state.nowMs += 2 * WINDOW_MS;
    await shared.merge();
    state.isUp = true;
    await shared.merge();
    expect(state.reports).toHaveLength(1);
  });

  test('a report that fails is made again, and nothing in it counts twice', async () => {
    const { state, shared } = openAlone('open');
    const limit = shared.of('call');
    await limit.take('k', PLAN, 7);
    state.isUp = false;
    await shared.merge();
    await limit.take('k', PLAN, 3);
    state.isUp = true;
    await shared.merge();
    expect(state.reports.map(({ used }) => [...used])).toEqual([[[0, 10]]]);
    expect(await limit.look('k', PLAN)).toMatchObject({ remaining: 490 });
  });

  test('what is charged while a report is under way counts once, also in the next step', async () => {
    const { state, shared } = openAlone('open');
    const limit = shared.of('call');
    await limit.take('k', PLAN, 7);
    const answered = Promise.withResolvers<void>();
    state.isAnswering = answered.promise;
    const merging = shared.merge();
    state.nowMs += WINDOW_MS / STEPS;
    await limit.take('k', PLAN, 40);
    answered.resolve();
    await merging;
    await shared.merge();
    expect(await limit.look('k', PLAN)).toMatchObject({ remaining: PLAN.burst - 47 });
  });
});

test.each([
  ['is kept where it can be right', 1_000, { atMs: 51_004, sentMs: 50_000, readMs: 50_010 }, 1_000],
  [
    'is not set back by an answer that is read late',
    1_000,
    { atMs: 51_001, sentMs: 50_000, readMs: 50_240 },
    1_000,
  ],
  ['follows a clock that was set back', 1_000, { atMs: 21_000, sentMs: 50_000, readMs: 50_010 }, -28_999],
  ['follows a clock that was set on', 1_000, { atMs: 81_000, sentMs: 50_000, readMs: 50_010 }, 30_990],
])('the offset of the clock of Redis %s', (_, offsetMs, said, expected) => {
  expect(nearestOffset(offsetMs, said)).toBe(expected);
});
