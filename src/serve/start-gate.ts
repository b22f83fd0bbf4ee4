import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Keyring } from '../account/identity/api-keys/keyring.ts';
import type { SessionCredentials } from '../account/identity/members/session-credentials.ts';
import type { PlanBook } from '../account/plans/plan-book.ts';
import type { Clock } from '../core/clock.ts';
import type { AdmissionOptions } from '../server/access/admission.ts';
import { type Authenticate, createAuthenticate } from '../server/access/authenticate.ts';
import {
  type ClientAddress,
  createClientAddress,
  createTrustsPeer,
  type TrustsPeer,
} from '../server/access/client-address.ts';
import type { LimitMetrics, SharedLimitMetrics } from '../server/access/limit-metrics.ts';
import type { KeyUses } from '../server/access/key-uses.ts';
import type { Meter } from '../server/access/meter.ts';
import type { RequestLog } from '../server/access/request-log.ts';
import { isLoopbackHost } from '../core/loopback.ts';
import { createKeyLimits } from '../server/access/key-limits.ts';
import { type RateLimit, createMemoryRateLimit, type UsedBefore } from '../server/access/rate-limit.ts';
import type { CallRulesOf } from '../server/access/with-allowed-methods.ts';
import { readUsage } from '../account/usage/read-usage.ts';
import type { Store } from '../store/open-store.ts';
import { openRedisCounts } from '../server/access/shared-limit/redis-counts.ts';
import { createSharedRateLimits } from '../server/access/shared-limit/shared-rate-limits.ts';

/** The checks before the calls of every protocol: a key has one limit across all protocols. */
export type Gate = Omit<AdmissionOptions, 'network'> &
  Pick<Meter, 'countPushed' | 'openTally'> & {
    readonly authenticate: Authenticate;
    readonly clientAddress: ClientAddress;
    readonly callRulesOf: CallRulesOf;
  };

export type GateParts = {
  readonly config: Pick<Config, 'http' | 'accounts'>;
  readonly store: Pick<Store, 'db' | 'batched'>;
  readonly keyring: Keyring;
  /** Returns the member that a key of a session belongs to. */
  readonly memberOf: SessionCredentials['memberOf'];
  readonly plans: PlanBook;
  readonly usage: Pick<Meter, 'count' | 'countPushed' | 'openTally'>;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly requests: RequestLog;
  readonly limitMetrics: LimitMetrics;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Returns the test for peers whose X-Forwarded-For and Forwarded are trusted. */
export function trustsPeerOf({ http }: Pick<Config, 'http'>): TrustsPeer {
  return createTrustsPeer({ isBehindProxy: http.behind_proxy, trustedProxies: http.trusted_proxies });
}

/** The settings for which a warning was logged: several parts of a server share them. */
const warned = new WeakSet<Config['http']>();

/** Returns the function that finds out where requests come from. A proxy that writes something else than addresses is warned of once. */
export function clientAddressOf(config: Pick<Config, 'http'>, log: Pick<Logger, 'warn'>): ClientAddress {
  return createClientAddress(trustsPeerOf(config), (header) => {
    if (warned.has(config.http)) return;
    warned.add(config.http);
    log.warn(
      { header },
      `a trusted proxy sent ${header} without an address that can be read, so clients are not told apart: keys with networks are refused to them, and they share one limit of sign-ins. Let the proxy write the client's address`,
    );
  });
}

/** Creates the gate of this process. Logs a warning if it may be behind proxies on other machines and none is trusted. */
export function startGate(parts: GateParts): Gate {
  const { config, keyring, memberOf, plans, usage, keyUses, requests, limitMetrics, rateLimits } = parts;
  const { clock, log } = parts;
  warnOfUntrustedProxies(config, log);
  const clientAddress = clientAddressOf(config, log);
  const rateLimit = rateLimits.of('call');
  const { callRulesOf } = keyring;
  const readUsed = (keyId: string) => readDay(parts.store, keyId, clock.nowMs());
  return {
    authenticate: createAuthenticate(keyring, clock, clientAddress, keyUses.note, requests),
    requests,
    clientAddress,
    callRulesOf,
    decideOwn: createKeyLimits({ rateLimit, callRulesOf, readUsed, log }),
    rateLimit,
    planOf: plans.planOf,
    countKeys: (accountId) => keyring.countOf(accountId),
    memberOf,
    fullRateKeys: config.accounts.full_rate_keys,
    count: usage.count,
    countPushed: usage.countPushed,
    openTally: usage.openTally,
    onRefusal: limitMetrics.countRefusal,
  };
}

const DAY_MS = 86_400_000;

/** Returns the recorded calls of a key in the last day, by minute. */
async function readDay(
  store: GateParts['store'],
  keyId: string,
  nowMs: number,
): Promise<readonly UsedBefore[]> {
  const minutes = await readUsage(store, {
    sinceMs: nowMs - DAY_MS,
    by: 'minute',
    accountId: undefined,
    keyId,
  });
  return minutes.map(({ group, calls }) => ({ agoMs: nowMs - Date.parse(group), weight: calls }));
}

function warnOfUntrustedProxies({ http }: Pick<Config, 'http'>, log: Logger): void {
  const { host, behind_proxy: isBehindProxy, trusted_proxies: networks } = http;
  if (!isBehindProxy || isLoopbackHost(host) || networks.length > 0) return;
  log.warn(
    { host },
    'http.host can be reached from other machines, and none of them is a trusted proxy: X-Forwarded-For is accepted only from loopback peers. List the networks of your proxies in http.trusted_proxies (KEYSLOT_TRUSTED_PROXIES), such as 10.0.0.0/8',
  );
}

/** The limits of this process, one for each use of keys and accounts. */
export type RateLimits = {
  readonly of: (use: 'call' | 'wallet-create' | 'wallet-use' | 'account') => RateLimit;
  /** Reports to the other servers what they do not know yet. */
  readonly close: () => Promise<void>;
};

type RateLimitParts = {
  readonly config: Pick<Config, 'redis'>;
  readonly metrics: SharedLimitMetrics;
  readonly log: Logger;
};

/** Creates limits in memory; with Redis, limits that all servers share. Does not wait for Redis. */
export function startRateLimits({ config, metrics, log }: RateLimitParts): RateLimits {
  const { url, prefix, limits_when_lost: whenLost } = config.redis;
  if (url === undefined) return { of: () => createMemoryRateLimit(), close: async () => undefined };
  const counts = openRedisCounts({
    url,
    prefix,
    onUp: () => log.info('Redis is there: limits are shared with the other servers'),
    onLost: (reason) => {
      metrics.countLoss();
      log.warn({ reason }, LOST[whenLost]);
    },
  });
  metrics.watchShared(counts.isUp);
  const shared = createSharedRateLimits(counts, whenLost);
  const close = async (): Promise<void> => {
    await shared.close();
    await counts.close();
  };
  return { of: shared.of, close };
}

const LOST = {
  open: 'Redis is lost: until it is back, this server limits keys and accounts alone',
  closed: 'Redis is lost: until it is back, requests are refused (redis.limits_when_lost)',
};
