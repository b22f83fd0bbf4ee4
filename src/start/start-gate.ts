import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Keyring } from '../account/keyring.ts';
import type { PlanBook } from '../account/plan-book.ts';
import type { Clock } from '../base/clock.ts';
import type { AdmissionOptions } from '../gate/admission.ts';
import { type Authenticate, createAuthenticate } from '../gate/authenticate.ts';
import {
  type ClientAddress,
  createClientAddress,
  createTrustsPeer,
  type TrustsPeer,
} from '../gate/client-address.ts';
import type { LimitMetrics } from '../gate/limit-metrics.ts';
import type { RateLimits } from './start-rate-limits.ts';
import type { KeyUses } from '../gate/key-uses.ts';
import type { Meter } from '../gate/meter.ts';
import { isLoopbackHost } from '../base/loopback.ts';

/** The checks before the calls of every protocol: a key has one limit across all protocols. */
export type Gate = Omit<AdmissionOptions, 'network'> &
  Pick<Meter, 'countPushed' | 'openTally'> & { readonly authenticate: Authenticate };

export type GateParts = {
  readonly config: Pick<Config, 'http'>;
  readonly keyring: Keyring;
  readonly plans: PlanBook;
  readonly usage: Pick<Meter, 'count' | 'countPushed' | 'openTally'>;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly limitMetrics: LimitMetrics;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Returns the test for peers whose X-Forwarded-For and Forwarded are trusted. */
export function trustsPeerOf({ http }: Pick<Config, 'http'>): TrustsPeer {
  return createTrustsPeer({ isBehindProxy: http.behind_proxy, trustedProxies: http.trusted_proxies });
}

let isWarned = false;

/** Returns the function that finds out where requests come from. A proxy that writes something else than addresses is warned of once. */
export function clientAddressOf(config: Pick<Config, 'http'>, log: Pick<Logger, 'warn'>): ClientAddress {
  return createClientAddress(trustsPeerOf(config), (header) => {
    if (isWarned) return;
    isWarned = true;
    log.warn(
      { header },
      `a trusted proxy sent ${header} without an address that can be read, so clients are not told apart: keys with networks are refused to them, and they share one limit of sign-ins. Let the proxy write the client's address`,
    );
  });
}

/** Creates the gate of this process. Logs a warning if it may be behind proxies on other machines and none is trusted. */
export function startGate(parts: GateParts): Gate {
  const { config, keyring, plans, usage, keyUses, limitMetrics, rateLimits, clock, log } = parts;
  warnOfUntrustedProxies(config, log);
  return {
    authenticate: createAuthenticate(keyring, clock, clientAddressOf(config, log), keyUses.note),
    rateLimit: rateLimits.of('call'),
    planOf: plans.planOf,
    count: usage.count,
    countPushed: usage.countPushed,
    openTally: usage.openTally,
    onRefusal: limitMetrics.countRefusal,
  };
}

function warnOfUntrustedProxies({ http }: Pick<Config, 'http'>, log: Logger): void {
  const { host, behind_proxy: isBehindProxy, trusted_proxies: networks } = http;
  if (!isBehindProxy || isLoopbackHost(host) || networks.length > 0) return;
  log.warn(
    { host },
    'http.host can be reached from other machines, and none of them is a trusted proxy: X-Forwarded-For is accepted only from loopback peers. List the networks of your proxies in http.trusted_proxies (KEYSLOT_TRUSTED_PROXIES), such as 10.0.0.0/8',
  );
}
