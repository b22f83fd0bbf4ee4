import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type PlanLimit, type RateLimit, type Standing, windowMs } from './rate-limit.ts';

/** A refund closer to the end of the window than this is not made: the window may be over first. */
const MIN_REFUND_MS = 2;

/**
 * Creates the rate limit of one process, in memory: one record and one timer for each key with an open window. A rewritten plan
 * is a new object, and all windows restart with it. A step of the system's clock ends windows early or leaves them as they
 * are, but no window outlasts its length.
 */
export function createMemoryRateLimit(): RateLimit {
  const limiters = new WeakMap<PlanLimit, RateLimiterMemory>();
  const limiterOf = (plan: PlanLimit): RateLimiterMemory => {
    const known = limiters.get(plan);
    if (known !== undefined) return known;
    const made = new RateLimiterMemory({
      points: plan.burst,
      duration: windowMs(plan) / 1000,
      keyPrefix: '',
    });
    limiters.set(plan, made);
    return made;
  };
  return {
    take: async (keyId, plan, weight) => {
      const limiter = limiterOf(plan);
      try {
        const { remainingPoints, msBeforeNext } = await limiter.consume(keyId, weight);
        return { isAllowed: true, remaining: remainingPoints, resetMs: msBeforeNext };
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const { msBeforeNext } = refused;
        const standing =
          msBeforeNext >= MIN_REFUND_MS ? standingOf(await limiter.reward(keyId, weight)) : NOTHING_LEFT;
        return { isAllowed: false, ...standing, resetMs: msBeforeNext };
      }
    },
    look: async (keyId, plan) => {
      const found = await limiterOf(plan).get(keyId);
      return found === null || found.msBeforeNext <= 0 ? fresh(plan) : standingOf(found);
    },
  };
}

const NOTHING_LEFT = { remaining: 0 } as const;

function fresh(plan: PlanLimit): Standing {
  return { remaining: plan.burst, resetMs: 0 };
}

function standingOf({ remainingPoints, msBeforeNext }: RateLimiterRes): Standing {
  return { remaining: remainingPoints, resetMs: msBeforeNext };
}
