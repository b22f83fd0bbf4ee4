import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { RefusalLog } from '../account/audit/refusal-log.ts';
import type { AccountDeps } from '../account-api/account-context.ts';
import type { Clock } from '../base/clock.ts';
import { createMemoryRateLimit } from '../gate/memory-rate-limit.ts';
import type { Metrics } from '../gate/metrics.ts';
import { createAccountService } from '../server/rest/account-service.ts';
import { createRestEndpoint, type RestEndpoint } from '../server/rest/rest-endpoint.ts';
import { trustsPeerOf } from './start-gate.ts';

export type AccountApiParts = {
  readonly deps: Pick<AccountDeps, 'store' | 'keyring'>;
  readonly tokens: AccountDeps['tokens'];
  readonly config: Pick<Config, 'http'>;
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly metrics: Pick<Metrics, 'countRefusal'>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Opens the account service. No page of another origin may call it. */
export function startAccountApi({
  deps,
  tokens,
  config,
  refusals,
  metrics,
  clock,
  log,
}: AccountApiParts): Promise<RestEndpoint> {
  const { store, keyring } = deps;
  const service = createAccountService({
    deps: { store, keyring, tokens, clock },
    rateLimit: createMemoryRateLimit(),
  });
  return createRestEndpoint(service, {
    ...{ tokens, refusals, clock, log, trustsPeer: trustsPeerOf(config) },
    ...{ maxBodyBytes: config.http.max_body_bytes, corsOrigins: [], onRefusal: metrics.countRefusal },
  });
}
