import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Keyring } from '../account/keyring.ts';
import type { PlanBook } from '../account/plan-book.ts';
import type { Clock } from '../base/clock.ts';
import type { AdmissionOptions } from '../gate/admission.ts';
import { type Authenticate, createAuthenticate } from '../gate/authenticate.ts';
import { createTrustsPeer, type TrustsPeer } from '../gate/client-address.ts';
import type { LimitMetrics } from '../gate/limit-metrics.ts';
import { createMemoryRateLimit } from '../gate/memory-rate-limit.ts';
import type { Meter } from '../gate/meter.ts';
import { isLoopbackHost } from '../base/loopback.ts';

/** What stands before the calls of every protocol: a key has one limit, however it calls. */
export type Gate = Omit<AdmissionOptions, 'network'> & { readonly authenticate: Authenticate };

export type GateParts = {
  readonly config: Pick<Config, 'http'>;
  readonly keyring: Keyring;
  readonly plans: PlanBook;
  readonly usage: Pick<Meter, 'count'>;
  readonly limitMetrics: LimitMetrics;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The peers whose X-Forwarded-For is believed. */
export function trustsPeerOf({ http }: Pick<Config, 'http'>): TrustsPeer {
  return createTrustsPeer({ isBehindProxy: http.behind_proxy, trustedProxies: http.trusted_proxies });
}

/** Sets up the gate of this process. Logs a warning where proxies on other machines may have been meant, and none is trusted. */
export function startGate({ config, keyring, plans, usage, limitMetrics, clock, log }: GateParts): Gate {
  warnOfProxies(config, log);
  return {
    authenticate: createAuthenticate(keyring, clock, trustsPeerOf(config)),
    rateLimit: createMemoryRateLimit(),
    planOf: (accountId) => plans.planOf(accountId),
    count: usage.count,
    onRefusal: limitMetrics.countRefusal,
  };
}

function warnOfProxies({ http }: Pick<Config, 'http'>, log: Logger): void {
  const { host, behind_proxy: isBehindProxy, trusted_proxies: networks } = http;
  if (!isBehindProxy || isLoopbackHost(host) || networks.length > 0) return;
  log.warn(
    { host },
    'http.host can be reached from other machines, and none of them is a trusted proxy: X-Forwarded-For is accepted only from loopback peers. List the networks of your proxies in http.trusted_proxies (KEYSLOT_TRUSTED_PROXIES), such as 10.0.0.0/8',
  );
}
