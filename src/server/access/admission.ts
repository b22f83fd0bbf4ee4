import type { ErrorName } from '../../../generated/errors.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import type { Caller } from './authenticate.ts';
import type { DecideOwnLimits, KeyDecision } from './key-limits.ts';
import { noteRefused, type RequestLog } from './request-log.ts';
import type { CountCall } from './usage-book.ts';
import { type PlanLimit, type RateLimit, type Taken, windowMs } from './rate-limit.ts';
import { EMPTY_BATCH, INVALID, UNREAD_REQUEST, weighBytes, type Weighed } from './weigh.ts';

/** The decision about a request, and the remaining allowance of the key, or of the account where that refuses. */
export type Verdict = {
  readonly plan: PlanLimit;
  readonly standing: Taken;
  /** The limits of the key itself, and what remains of them; undefined if it has none. */
  readonly ofKey?: KeyDecision['limits'] | undefined;
  /**
   * ServiceError `rateLimited` or `requestTooHeavy`, or of a limit of the key itself `apiKeyRateLimited` or `apiKeyBatchTooLarge`; undefined:
   * the request is admitted.
   */
  readonly refusal: ServiceError | undefined;
};

/**
 * Enforces the limits of plans between authentication and the calls of one network. An account with more keys than
 * `fullRateKeys` has its plan that many times for all of them together. All keys of one member's sessions have one plan together, and those
 * of all members of an account `fullRateKeys` plans; they take nothing from the account's other keys.
 */
export type Admission = {
  /**
   * Charges the key's plan for all messages of a request together, or for the bytes of its body where these weigh more, and limits of the
   * key itself for the number of messages. A request that
   * weighs more than the plan ever allows is refused as `requestTooHeavy`, however much is left, because waiting does not help; it is
   * charged 1 if that is left, since its body was read. A request refused as `rateLimited` is charged nothing. Messages that do not become
   * calls are counted here: refused ones, and as errors of the caller those that are not valid.
   */
  readonly admit: (caller: Caller, messages: readonly Weighed[], sizeBytes?: number) => Promise<Verdict>;
  /**
   * Charges for an invalid request without messages, by the bytes of its body that were read, at most the burst; counts it as an error of
   * the caller.
   */
  readonly admitFaulty: (caller: Caller, sizeBytes: number, fault: ErrorName) => Promise<Verdict>;
  /** Checks, before a body that is costly to read, that the key has any allowance left. Charges nothing; counts refusals. */
  readonly preview: (caller: Caller) => Promise<Verdict>;
};

export type AdmissionOptions = {
  readonly rateLimit: RateLimit;
  readonly planOf: (accountId: string) => PlanLimit;
  /** Returns how many keys an account has, revoked and expired ones included: what they used still counts. Without those of sessions. */
  readonly countKeys: (accountId: string) => number;
  /** Returns the member that a key of a session belongs to; undefined for other keys. By default no key is one of a session. */
  readonly memberOf?: (keyId: string) => string | undefined;
  readonly fullRateKeys: number;
  /** Decides about the limits of keys themselves. By default no key has any. */
  readonly decideOwn?: DecideOwnLimits;
  readonly network: string;
  readonly count: CountCall;
  /** Notes the messages that are counted here. */
  readonly requests?: RequestLog | undefined;
  /** Called for each request that is refused. */
  readonly onRefusal: (plan: string, error: ServiceError['code']) => void;
};

/** Creates the admission for the requests of one network. */
export function createAdmission({
  rateLimit,
  planOf,
  countKeys,
  memberOf = () => undefined,
  fullRateKeys,
  decideOwn = () => undefined,
  network,
  count,
  requests,
  onRefusal,
}: AdmissionOptions): Admission {
  const conclude = (
    caller: Caller,
    messages: readonly Weighed[],
    verdict: Verdict,
    sizeBytes?: number,
  ): Verdict => {
    const { keyId } = caller;
    const { plan, refusal } = verdict;
    const isOfBatch = messages.length > 1;
    const bytesIn = isOfBatch ? undefined : sizeBytes;
    if (refusal !== undefined) onRefusal(plan.name, refusal.code);
    for (const message of messages) {
      const { method, weight, error = 'invalidRequest' } = message;
      if (refusal !== undefined) {
        count({ keyId, network, method, weight, outcome: 'refused' });
        noteRefused(requests, caller, { method, error: refusal.code, bytesIn });
      } else if (method === INVALID && message !== EMPTY_BATCH) {
        count({ keyId, network, method, weight, outcome: 'callerError' });
        noteRefused(requests, caller, { method, error, bytesIn, isOfBatch });
      }
    }
    return verdict;
  };
  const ofAccount = createPlansOfAccounts(fullRateKeys);
  /** Returns the limit that a key shares with others of its account; undefined where those cannot use more than it allows. */
  const sharedBy = (accountId: string, memberId: string | undefined): string | undefined => {
    if (memberId !== undefined) return `${accountId}:members`;
    return countKeys(accountId) > fullRateKeys ? accountId : undefined;
  };
  /** Where a key shares a limit, a charge needs room in both limits, and is made in both or in neither. */
  const decide = async (
    { keyId, accountId }: Caller,
    plan: PlanLimit,
    weight: number,
    how: 'take' | 'look',
  ): Promise<Decided> => {
    const memberId = memberOf(keyId);
    const ownId = memberId ?? keyId;
    const sharedId = sharedBy(accountId, memberId);
    if (sharedId !== undefined) {
      const own = await rateLimit.look(ownId, plan, weight);
      if (!own.isAllowed) return { plan, standing: own };
      const batched = ofAccount(plan);
      const standing = await rateLimit[how](sharedId, batched, weight);
      if (!standing.isAllowed) return { plan: batched, standing };
    }
    return { plan, standing: await rateLimit[how](ownId, plan, weight) };
  };
  const admit = async (caller: Caller, messages: readonly Weighed[], sizeBytes = 0): Promise<Verdict> => {
    const plan = planOf(caller.accountId);
    const calls = messages.length === 1 && messages[0] !== undefined ? messages[0].weight : sum(messages);
    const weight = Math.max(calls, weighBytes(sizeBytes, plan.burst));
    const isTooHeavy = weight > plan.burst;
    const look = decideOwn(caller.keyId, messages.length, 'look');
    const own = look && (await look);
    const how = own?.refusal === undefined ? 'take' : 'look';
    const decided = await decide(caller, plan, isTooHeavy ? 1 : weight, how);
    const ofPlan = isTooHeavy
      ? serviceError('requestTooHeavy', { policy: plan.name, limit: plan.burst, value: weight })
      : refusalOf(decided, weight);
    const refusal = own?.refusal ?? ofPlan;
    if (own === undefined || refusal !== undefined)
      return conclude(caller, messages, { ...decided, ofKey: own?.limits, refusal }, sizeBytes);
    const taken = await decideOwn(caller.keyId, messages.length, 'take');
    const verdict = { ...decided, ofKey: taken?.limits, refusal: taken?.refusal };
    return conclude(caller, messages, verdict, sizeBytes);
  };
  return {
    admit,
    admitFaulty: (caller, sizeBytes, error) => {
      const weight = weighBytes(sizeBytes, planOf(caller.accountId).burst);
      return admit(caller, [{ method: INVALID, weight, error }]);
    },
    preview: async (caller) => {
      const look = decideOwn(caller.keyId, 1, 'look');
      const own = look && (await look);
      const decided = await decide(caller, planOf(caller.accountId), 1, 'look');
      const refusal = own?.refusal ?? refusalOf(decided, 1);
      return conclude(caller, [UNREAD_REQUEST], { ...decided, ofKey: own?.limits, refusal });
    },
  };
}

function sum(messages: readonly Weighed[]): number {
  return messages.reduce((total, { weight }) => total + weight, 0);
}

type Decided = Pick<Verdict, 'plan' | 'standing'>;

/** Returns the function that gives the limit of all keys of an account together: the same object for the same plan. */
function createPlansOfAccounts(fullRateKeys: number): (plan: PlanLimit) => PlanLimit {
  const made = new WeakMap<PlanLimit, PlanLimit>();
  return (plan) => {
    const known = made.get(plan);
    if (known !== undefined) return known;
    const { name, requestsPerSecond, burst } = plan;
    const batched = {
      name: `${name}:account`,
      requestsPerSecond: requestsPerSecond * fullRateKeys,
      burst: burst * fullRateKeys,
    };
    made.set(plan, batched);
    return batched;
  };
}

function refusalOf({ plan, standing: taken }: Decided, weight: number): ServiceError | undefined {
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
