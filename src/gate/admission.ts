import { type ServiceError, serviceError } from '../base/service-error.ts';
import type { Caller } from './authenticate.ts';
import type { CountCall } from './usage-book.ts';
import { type PlanLimit, type RateLimit, type Taken, windowMs } from './rate-limit.ts';
import { EMPTY_BATCH, INVALID, UNREAD_REQUEST, weighFault, type Weighed } from './weigh.ts';

/** The decision about a request, and the key's remaining allowance. */
export type Verdict = {
  readonly plan: PlanLimit;
  readonly standing: Taken;
  /** ServiceError `rateLimited` or `requestTooHeavy`; undefined: the request is admitted. */
  readonly refusal: ServiceError | undefined;
};

/** Enforces the limits of plans between authentication and the calls of one network. */
export type Admission = {
  /**
   * Charges the key's plan for all messages of a request together. A request that weighs more than the plan ever allows is
   * refused as `requestTooHeavy`, however much is left, because waiting does not help; it is charged 1, where that is left,
   * since it had to be read. A request refused as `rateLimited` is charged nothing. Messages that do not become calls are
   * counted here: refused ones, and as errors of the caller those that are not valid.
   */
  readonly admit: (caller: Caller, messages: readonly Weighed[]) => Promise<Verdict>;
  /** Charges for a faulty request that holds no message, by the size of what was read of its body, at most the burst; counts it as an error of the caller. */
  readonly admitFaulty: (caller: Caller, sizeBytes: number) => Promise<Verdict>;
  /** Checks, before a body that is costly to read, that the key has any allowance left. Charges nothing; counts refusals. */
  readonly preview: (caller: Caller) => Promise<Verdict>;
};

export type AdmissionOptions = {
  readonly rateLimit: RateLimit;
  readonly planOf: (accountId: string) => PlanLimit;
  readonly network: string;
  readonly count: CountCall;
  /** Called for each request that is refused. */
  readonly onRefusal: (plan: string, error: ServiceError['code']) => void;
};

/** Creates the admission for the requests of one network. */
export function createAdmission({
  rateLimit,
  planOf,
  network,
  count,
  onRefusal,
}: AdmissionOptions): Admission {
  const conclude = ({ keyId }: Caller, messages: readonly Weighed[], verdict: Verdict): Verdict => {
    const { plan, refusal } = verdict;
    if (refusal !== undefined) onRefusal(plan.name, refusal.code);
    for (const message of messages) {
      if (refusal !== undefined) count({ keyId, network, ...message, outcome: 'refused' });
      else if (message.method === INVALID && message !== EMPTY_BATCH)
        count({ keyId, network, ...message, outcome: 'callerError' });
    }
    return verdict;
  };
  const admit = async (caller: Caller, messages: readonly Weighed[]): Promise<Verdict> => {
    const plan = planOf(caller.accountId);
    const weight = messages.length === 1 && messages[0] !== undefined ? messages[0].weight : sum(messages);
    const isTooHeavy = weight > plan.burst;
    const taken = await rateLimit.take(caller.keyId, plan, isTooHeavy ? 1 : weight);
    const refusal = isTooHeavy
      ? serviceError('requestTooHeavy', { policy: plan.name, limit: plan.burst, value: weight })
      : refusalOf(plan, taken, weight);
    return conclude(caller, messages, { plan, standing: taken, refusal });
  };
  return {
    admit,
    admitFaulty: (caller, sizeBytes) =>
      admit(caller, [weighFault(sizeBytes, planOf(caller.accountId).burst)]),
    preview: async (caller) => {
      const plan = planOf(caller.accountId);
      const standing = await rateLimit.look(caller.keyId, plan);
      const refusal = refusalOf(plan, standing, 1);
      return conclude(caller, [UNREAD_REQUEST], { plan, standing, refusal });
    },
  };
}

function sum(messages: readonly Weighed[]): number {
  return messages.reduce((total, { weight }) => total + weight, 0);
}

function refusalOf(plan: PlanLimit, taken: Taken, weight: number): ServiceError | undefined {
  if (taken.isAllowed) return undefined;
  return serviceError('rateLimited', {
    policy: plan.name,
    limit: plan.burst,
    windowMs: windowMs(plan),
    remaining: taken.remaining,
    value: weight,
    retryAfterSeconds: Math.max(1, Math.ceil(taken.retryMs / 1000)),
  });
}
