import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { RefusalLog } from '../account/audit/refusal-log.ts';
import { authenticateSession } from '../account/members/sessions.ts';
import type { AccountDeps } from '../account-api/account-context.ts';
import type { Clock } from '../base/clock.ts';
import type { Tracing } from '../base/tracing.ts';
import type { NoteUse } from '../gate/key-uses.ts';
import type { RateLimits } from './start-rate-limits.ts';
import type { Metrics } from '../gate/metrics.ts';
import { createBaseUrlOf } from '../server/http/base-url.ts';
import { createAccountService } from '../server/rest/account-service.ts';
import { createRestEndpoint, type RestEndpoint } from '../server/rest/rest-endpoint.ts';
import { withStoreFaults } from '../store/store-errors.ts';
import { clientAddressOf, trustsPeerOf } from './start-gate.ts';

export type AccountApiParts = {
  readonly deps: Omit<AccountDeps, 'clock' | 'refusals'>;
  readonly config: Pick<Config, 'http'>;
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly metrics: Pick<Metrics, 'countRefusal'>;
  readonly rateLimits: Pick<RateLimits, 'of'>;
  /** Called with each token that is accepted. */
  readonly noteUse?: NoteUse;
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
  noteUse,
  tracing,
  clock,
  log,
}: AccountApiParts): Promise<RestEndpoint> {
  const clientAddress = clientAddressOf(config, log);
  const baseUrlOf = createBaseUrlOf({ trustsPeer: trustsPeerOf(config), publicUrl: config.http.public_url });
  const service = createAccountService({
    ...{ deps: { ...deps, refusals, clock }, rateLimit: rateLimits.of('account') },
    ...{ clientAddress, baseUrlOf },
  });
  const { store, tokens } = deps;
  const find = (token: string | undefined, nowMs: number) =>
    withStoreFaults('a session', () => authenticateSession(store.db, token, nowMs));
  return createRestEndpoint(service, {
    ...{ tokens, refusals, tracing, clock, log, clientAddress, sessions: { find, baseUrlOf } },
    ...(noteUse && { noteUse }),
    ...{ maxBodyBytes: config.http.max_body_bytes, corsOrigins: [], onRefusal: metrics.countRefusal },
  });
}
