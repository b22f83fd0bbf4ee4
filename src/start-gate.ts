import type { Config } from '../generated/config.ts';
import type { Keyring } from './account/keyring.ts';
import type { PlanBook } from './account/plan-book.ts';
import type { Clock } from './clock.ts';
import type { AdmissionOptions } from './gate/admission.ts';
import { type Authenticate, createAuthenticate } from './gate/authenticate.ts';
import type { LimitMetrics } from './gate/limit-metrics.ts';
import { createMemoryRateLimit } from './gate/memory-rate-limit.ts';
import type { Meter } from './gate/meter.ts';

/** What stands before the calls of every protocol: a key has one limit, however it calls. */
export type Gate = Omit<AdmissionOptions, 'network'> & { readonly authenticate: Authenticate };

export type GateParts = {
  readonly config: Pick<Config, 'http'>;
  readonly keyring: Keyring;
  readonly plans: PlanBook;
  readonly usage: Pick<Meter, 'count'>;
  readonly limitMetrics: LimitMetrics;
  readonly clock: Clock;
};

/** Sets up the gate of this process. */
export function startGate({ config, keyring, plans, usage, limitMetrics, clock }: GateParts): Gate {
  return {
    authenticate: createAuthenticate(keyring, clock, { isBehindProxy: config.http.behind_proxy }),
    rateLimit: createMemoryRateLimit(),
    planOf: (accountId) => plans.planOf(accountId),
    count: usage.count,
    onRefusal: limitMetrics.countRefusal,
  };
}
