import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { RefusalLog } from '../account/identity/refusal-log.ts';
import { authenticateSession } from '../account/identity/members/sessions.ts';
import type { AccountDeps } from '../account/api/account-context.ts';
import type { Clock } from '../core/clock.ts';
import type { Tracing } from '../core/tracing.ts';
import type { NoteUse } from '../server/access/key-uses.ts';
import type { RequestLog } from '../server/access/request-log.ts';
import { type RateLimits, clientAddressOf, trustsPeerOf } from './start-gate.ts';
import type { Metrics } from '../server/access/metrics.ts';
import { createBaseUrlOf } from '../server/http/base-url.ts';
import { type AccountServiceOptions, createAccountService } from '../server/rest/account-service.ts';
import { createRestEndpoint, type RestEndpoint } from '../server/rest/rest-endpoint.ts';
import { withStoreFaults } from '../store/store-errors.ts';

export type AccountApiParts = {
  readonly deps: Omit<AccountDeps, 'clock' | 'refusals'>;
  readonly config: Pick<Config, 'http'>;
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly metrics: Pick<Metrics, 'countRefusal'>;
  readonly rateLimits: Pick<RateLimits, 'of'>;
  readonly planOf: AccountServiceOptions['planOf'];
  /** Called with each token that is accepted. */
  readonly noteUse?: NoteUse;
  readonly requests?: RequestLog | undefined;
  readonly tracing?: Tracing | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Opens the account service. No page of another origin may call it. */
export function startAccountApi({
  deps,
  config,
  refusals,
  metrics,
  rateLimits,
  planOf,
  noteUse,
  requests,
  tracing,
  clock,
  log,
}: AccountApiParts): Promise<RestEndpoint> {
  const clientAddress = clientAddressOf(config, log);
  const baseUrlOf = createBaseUrlOf({ trustsPeer: trustsPeerOf(config), publicUrl: config.http.public_url });
  const service = createAccountService({
    deps: { ...deps, refusals, clock },
    rateLimit: rateLimits.of('account'),
    planOf,
    clientAddress,
    baseUrlOf,
  });
  const { store, tokens } = deps;
  const find = (token: string | undefined, nowMs: number) =>
    withStoreFaults('a session', () => authenticateSession(store.db, token, nowMs));
  return createRestEndpoint(service, {
    tokens,
    refusals,
    requests,
    tracing,
    clock,
    log,
    clientAddress,
    sessions: { find, baseUrlOf },
    ...(noteUse && { noteUse }),
    maxBodyBytes: config.http.max_body_bytes,
    corsOrigins: [],
    onRefusal: metrics.countRefusal,
  });
}
