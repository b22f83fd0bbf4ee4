import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type PlanLimit, type RateLimit, STEPS, windowMs } from '../../../src/server/access/rate-limit.ts';
import { rounds } from '../../support/tier.ts';

/** A backend under test, whose clock the test moves. */
export type RateLimitBackend = {
  /** A limit that has not been used, at the beginning of a step. */
  readonly create: () => RateLimit;
  readonly advance: (ms: number) => void;
};

const PLAN: PlanLimit = { name: 'test', requestsPerSecond: 10, burst: 50 };
const WINDOW_MS = 5_000;
const STEP_MS = WINDOW_MS / STEPS;

/** `edge`: until the last millisecond of the window; `over`: until it has ended. */
type Step = { readonly wait: number | 'edge' | 'over'; readonly share: number };
type Allowed = { readonly atMs: number; readonly weight: number };

const plans = fc
  .record({ requestsPerSecond: fc.integer({ min: 1, max: 2_000 }), factor: fc.integer({ min: 1, max: 20 }) })
  .map(({ requestsPerSecond, factor }) => ({
    name: 'any',
    requestsPerSecond,
    burst: requestsPerSecond * factor,
  }));
const steps = fc.array(
  fc.record({
    wait: fc.oneof(
      fc.constantFrom('edge' as const, 'over' as const, 0, 1),
      fc.integer({ min: 0, max: 5_000 }),
    ),
    share: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { maxLength: 100 },
);

/** The promises of every backend of RateLimit. */
export function describeRateLimit(name: string, { create, advance }: RateLimitBackend): void {
  describe(`the rate limit, ${name}`, () => {
    let limit: RateLimit;
    beforeEach(() => {
      limit = create();
    });

    test('allows the burst at once and no unit more, until what was used is a window old', async () => {
      expect(await limit.take('k', PLAN, 20)).toEqual({
        isAllowed: true,
        remaining: 30,
        resetMs: WINDOW_MS,
        retryMs: 0,
      });
      expect(await limit.take('k', PLAN, 30)).toMatchObject({ isAllowed: true, remaining: 0 });
      advance(1_000);
      expect(await limit.take('k', PLAN, 1)).toEqual({
        isAllowed: false,
        remaining: 0,
        resetMs: 4_000,
        retryMs: 4_000,
      });
      advance(3_999);
      expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: false, resetMs: 1, retryMs: 1 });
      advance(1);
      expect(await limit.take('k', PLAN, 50)).toMatchObject({ isAllowed: true, remaining: 0 });
    });

    test('what was used before counts until it is a window old', async () => {
      const [old, recent] = [STEP_MS * (STEPS - 1), 2 * STEP_MS];
      limit.recall('k', PLAN, [
        { agoMs: 2 * WINDOW_MS, weight: 50 },
        { agoMs: old, weight: 20 },
        { agoMs: recent, weight: 10 },
      ]);
      expect(await limit.take('k', PLAN, 20)).toMatchObject({ isAllowed: true, remaining: 0 });
      expect(await limit.take('k', PLAN, 20)).toMatchObject({ isAllowed: false, retryMs: STEP_MS });
      advance(STEP_MS);
      expect(await limit.take('k', PLAN, 20)).toMatchObject({ isAllowed: true, remaining: 0 });
      expect(await limit.take('k', PLAN, 1)).toMatchObject({ retryMs: WINDOW_MS - recent - STEP_MS });
    });

    test('what was used comes back in steps: the wait is that of the charge, not of the whole burst', async () => {
      await limit.take('k', PLAN, 20);
      advance(2 * STEP_MS);
      await limit.take('k', PLAN, 30);
      advance(STEP_MS);
      expect(await limit.take('k', PLAN, 20)).toMatchObject({ retryMs: 17 * STEP_MS, resetMs: 19 * STEP_MS });
      expect(await limit.take('k', PLAN, 21)).toMatchObject({ retryMs: 19 * STEP_MS, resetMs: 19 * STEP_MS });
      advance(17 * STEP_MS);
      expect(await limit.take('k', PLAN, 20)).toMatchObject({ isAllowed: true, remaining: 0 });
      expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: false, retryMs: 2 * STEP_MS });
    });

    test('two bursts do not meet where a window ends', async () => {
      await limit.take('k', PLAN, 1);
      advance(WINDOW_MS - STEP_MS);
      await limit.take('k', PLAN, 49);
      advance(STEP_MS);
      expect(await limit.take('k', PLAN, 2)).toMatchObject({ isAllowed: false, remaining: 1 });
    });

    test('refuses a wish as a whole, and leaves the rest to lighter ones', async () => {
      await limit.take('k', PLAN, 45);
      expect(await limit.take('k', PLAN, 6)).toMatchObject({ isAllowed: false, remaining: 5 });
      expect(await limit.take('k', PLAN, 5)).toMatchObject({ isAllowed: true, remaining: 0 });
    });

    test('a flood of refused wishes does not make the wait longer', async () => {
      await limit.take('k', PLAN, 50);
      for (let ms = 0; ms < WINDOW_MS; ms += 100) {
        for (let index = 0; index < 10; index++) await limit.take('k', PLAN, 50);
        advance(100);
      }
      expect(await limit.take('k', PLAN, 1)).toMatchObject({ isAllowed: true, remaining: 49 });
    });

    test('one key does not use up what another one has', async () => {
      await limit.take('a', PLAN, 50);
      expect(await limit.take('a', PLAN, 1)).toMatchObject({ isAllowed: false });
      expect(await limit.take('b', PLAN, 50)).toMatchObject({ isAllowed: true });
    });

    test('wishes of one moment are not allowed twice', async () => {
      const taken = await Promise.all(Array.from({ length: 80 }, () => limit.take('k', PLAN, 1)));
      expect(taken.filter(({ isAllowed }) => isAllowed).length).toBe(50);
    });

    test('another plan holds from the next wish on', async () => {
      await limit.take('k', PLAN, 50);
      const wider = { ...PLAN, burst: 60 };
      expect(await limit.take('k', wider, 60)).toMatchObject({ isAllowed: true });
      expect(await limit.take('k', wider, 1)).toMatchObject({ isAllowed: false });
    });

    test('looking uses nothing', async () => {
      expect(await limit.look('k', PLAN)).toMatchObject({ isAllowed: true, remaining: 50, resetMs: 0 });
      await limit.take('k', PLAN, 50);
      expect(await limit.look('k', PLAN)).toMatchObject({
        isAllowed: false,
        remaining: 0,
        resetMs: WINDOW_MS,
      });
      advance(WINDOW_MS);
      expect(await limit.look('k', PLAN)).toMatchObject({ isAllowed: true, remaining: 50, resetMs: 0 });
    });

    test('any 19 of 20 steps let through at most the burst', async () => {
      await fc.assert(
        fc.asyncProperty(plans, steps, async (plan, wishes) => {
          const own = create();
          const allowed = await play(own, plan, wishes);
          expectBounded(allowed, plan);
          advance(windowMs(plan));
        }),
        { numRuns: rounds(300) },
      );
    });

    test('a client that keeps to the rate is never refused', async () => {
      await fc.assert(
        fc.asyncProperty(plans, fc.integer({ min: 0, max: 999 }), async (plan, startMs) => {
          const own = create();
          advance(startMs);
          const calls = Math.min(3 * plan.burst, 1_000);
          let nowMs = 0;
          for (let call = 0; call < calls; call++) {
            const dueMs = Math.floor((call * 1000) / plan.requestsPerSecond);
            advance(dueMs - nowMs);
            nowMs = dueMs;
            expect(await own.take('k', plan, 1)).toMatchObject({ isAllowed: true });
          }
          advance(windowMs(plan));
        }),
        { numRuns: rounds(50) },
      );
    });

    async function play(
      own: RateLimit,
      plan: PlanLimit,
      wishes: readonly Step[],
    ): Promise<readonly Allowed[]> {
      const allowed: Allowed[] = [];
      let atMs = 0;
      let resetMs = 0;
      for (const { wait, share } of wishes) {
        const edgeMs = { edge: Math.max(0, resetMs - 1), over: resetMs };
        const waitMs = typeof wait === 'number' ? wait : edgeMs[wait];
        advance(waitMs);
        atMs += waitMs;
        const weight = Math.max(1, Math.round(plan.burst * share));
        const taken = await own.take('k', plan, weight);
        expect(taken.remaining).toBeGreaterThanOrEqual(0);
        expect(taken.remaining).toBeLessThanOrEqual(plan.burst);
        resetMs = taken.isAllowed ? taken.resetMs : taken.retryMs;
        if (taken.isAllowed) allowed.push({ atMs, weight });
      }
      return allowed;
    }
  });
}

function expectBounded(allowed: readonly Allowed[], plan: PlanLimit): void {
  const length = (windowMs(plan) * (STEPS - 1)) / STEPS;
  for (const [index, first] of allowed.entries()) {
    let sum = 0;
    for (const { atMs, weight } of allowed.slice(index)) {
      if (atMs - first.atMs > length) break;
      sum += weight;
    }
    expect(sum).toBeLessThanOrEqual(plan.burst);
  }
}
