import type { Logger } from 'pino';
import type { KeyLimit } from '../../account/identity/api-keys/key-rules.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import type { PlanLimit, RateLimit, Taken, UsedBefore } from './rate-limit.ts';
import type { CallRulesOf } from './with-allowed-methods.ts';

/** The decision about the limits of a key itself. */
export type KeyDecision = {
  readonly limits: readonly { readonly plan: PlanLimit; readonly standing: Taken }[];
  /** ServiceError `apiKeyRateLimited` or `apiKeyBatchTooLarge`; undefined: all limits have room. */
  readonly refusal: ServiceError | undefined;
};

/**
 * Decides about a number of calls by the limits of their key itself: `take` charges them where there is room, `look` charges nothing.
 * Undefined for a key without limits of its own.
 */
export type DecideOwnLimits = (
  keyId: string,
  calls: number,
  how: 'take' | 'look',
) => Promise<KeyDecision> | undefined;

export type KeyLimitsDeps = {
  readonly rateLimit: RateLimit;
  readonly callRulesOf: CallRulesOf;
  /** Returns the stored calls of a key in the last day. */
  readonly readUsed: (keyId: string) => Promise<readonly UsedBefore[]>;
  readonly log: Pick<Logger, 'warn'>;
};

/**
 * Enforces the limits of keys themselves, in sliding windows of a second and of 24 hours. The calls of the last day are read from the
 * recorded usage where a process first counts for a limit: a restart, or another limit, forgets none that were stored.
 */
export function createKeyLimits({ rateLimit, callRulesOf, readUsed, log }: KeyLimitsDeps): DecideOwnLimits {
  const recalled = new WeakMap<KeyLimit, Promise<void>>();
  const recall = async (keyId: string, limit: KeyLimit): Promise<void> => {
    try {
      rateLimit.recall(limit.id, limit, await readUsed(keyId));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { keyId, reason },
        'cannot read what an API key used today; its limit a day counts from now on',
      );
    }
  };
  const recallOnce = (keyId: string, limit: KeyLimit): Promise<void> => {
    const known = recalled.get(limit) ?? recall(keyId, limit);
    recalled.set(limit, known);
    return known;
  };
  const decide = async (
    keyId: string,
    limits: readonly KeyLimit[],
    calls: number,
    how: 'take' | 'look',
  ): Promise<KeyDecision> => {
    const decided: { readonly plan: PlanLimit; readonly standing: Taken }[] = [];
    let refusal: ServiceError | undefined;
    for (const plan of limits) {
      if (plan.per === 'day') await recallOnce(keyId, plan);
      const { id, per, burst: limit } = plan;
      if (calls > limit) refusal ??= serviceError('apiKeyBatchTooLarge', { limit, per, value: calls });
      const standing = await rateLimit[refusal === undefined ? how : 'look'](
        id,
        plan,
        Math.min(calls, limit),
      );
      if (!standing.isAllowed) refusal ??= refusalOf(plan, standing, calls);
      decided.push({ plan, standing });
    }
    return { limits: decided, refusal };
  };
  return (keyId, calls, how) => {
    const limits = callRulesOf(keyId)?.limits;
    return limits === undefined || limits.length === 0 ? undefined : decide(keyId, limits, calls, how);
  };
}

function refusalOf(
  { per, burst: limit }: KeyLimit,
  { remaining, retryMs }: Taken,
  value: number,
): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryMs / 1000));
  return serviceError('apiKeyRateLimited', { limit, per, remaining, value, retryAfterSeconds });
}
