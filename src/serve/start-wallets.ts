import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { AccountPlane } from '../account/setup/account-plane.ts';
import { createRefusalLog, type RefusalLog } from '../account/identity/refusal-log.ts';
import type { UseLimitDeps } from '../account/plans/wallet-use-limit.ts';
import { createWalletStanding, type WalletStanding } from '../account/plans/wallet-standing.ts';
import type { Clock } from '../core/clock.ts';
import type { Tracing } from '../core/tracing.ts';
import type { NoteUse } from '../server/access/key-uses.ts';
import type { RequestLog } from '../server/access/request-log.ts';
import type { CountAnswer } from '../server/access/wallet-request-counts.ts';
import { type RateLimits, clientAddressOf } from './start-gate.ts';
import type { Metrics } from '../server/access/metrics.ts';
import type { HttpHandler } from '../server/http/http-server.ts';
import { createRestEndpoint } from '../server/rest/rest-endpoint.ts';
import { createWalletService } from '../server/rest/wallet-service.ts';
import type { Keys } from './start-keys.ts';
import type { PrioritizedStore } from '../store/open-store.ts';
import { createRetryUntilSettled } from '../wallets/retry-until-settled.ts';
import { answerRequest } from '../wallets/answer-request.ts';
import { destroyAbandonedKeys } from '../wallets/managed/make-keys.ts';
import { createReconciliation } from '../wallets/managed/destroyed-rows.ts';
import type { WalletDeps } from '../wallets/wallet-deps.ts';

export type WalletParts = {
  readonly config: Pick<Config, 'http' | 'wallets'>;
  readonly store: PrioritizedStore;
  readonly account: AccountPlane;
  readonly keys: Keys;
  readonly metrics: Pick<Metrics, 'countRefusal'>;
  readonly payLater: WalletDeps['payLater'];
  /** Returns the plan of an account. */
  readonly planOf: UseLimitDeps['planOf'];
  readonly rateLimits: Pick<RateLimits, 'of'>;
  /** Called with each token that is accepted. */
  readonly noteUse?: NoteUse;
  /** Called with each request of an account that was answered, or that this server failed to answer. */
  readonly countAnswer?: CountAnswer;
  readonly requests?: RequestLog | undefined;
  readonly tracing?: Tracing | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The wallet service while it is open. */
export type OpenWallets = {
  readonly handler: HttpHandler;
  readonly refusals: Pick<RefusalLog, 'note'>;
  /** See `createWalletStanding`. */
  readonly standingOf: (accountId: string) => Promise<WalletStanding>;
  /**
   * Stops the search for rows of destroyed wallets, and resolves when no request is in flight and all refusals are recorded.
   * Call it when nothing listens any more, before the account plane is closed.
   */
  readonly close: () => Promise<void>;
};

/**
 * Opens the wallet service. Keys that a dead process left without a wallet are destroyed first; rows of destroyed wallets are
 * looked for in the background.
 */
export async function startWallets(parts: WalletParts): Promise<OpenWallets> {
  const { config, store, account, metrics, planOf, rateLimits, noteUse, countAnswer, clock, log } = parts;
  const { requests, tracing } = parts;
  const { tokens, limits, useLimits } = account;
  const deps = walletDepsOf(parts);
  await destroyAbandonedKeys(deps);
  const refusals = createRefusalLog({ store, clock, log });
  const clientAddress = clientAddressOf(config, log);
  const counted = {
    limits,
    useLimits,
    planOf,
    rateLimit: rateLimits.of('wallet-create'),
    useRateLimit: rateLimits.of('wallet-use'),
  };
  const service = createWalletService({ ...counted, deps, answerRequest, clientAddress });
  const { handler, settled } = await createRestEndpoint(service, {
    tokens,
    refusals,
    clientAddress,
    ...(noteUse && { noteUse }),
    requests,
    tracing,
    clock,
    log,
    ...(countAnswer && { countAnswer }),
    maxBodyBytes: config.http.max_body_bytes,
    corsOrigins: config.wallets.cors_origins,
    onRefusal: metrics.countRefusal,
  });
  void deps.reconciliation.start(deps);
  const close = async (): Promise<void> => {
    await Promise.all([deps.reconciliation.close(), settled()]);
    await refusals.close();
  };
  return { handler, refusals, standingOf: createWalletStanding(counted), close };
}

/** Assembles the dependencies of the service. */
export function walletDepsOf({
  config,
  store,
  account,
  keys,
  payLater,
  clock,
  log,
}: Omit<
  WalletParts,
  'metrics' | 'planOf' | 'rateLimits' | 'noteUse' | 'countAnswer' | 'requests'
>): WalletDeps {
  const { money, idempotency, installationKey, ownerId, tokens } = account;
  const { signer, sealedWork, pool } = keys;
  return {
    store,
    money,
    payLater,
    idempotency,
    tokens,
    installationKey,
    ownerId,
    clock,
    log,
    signer,
    sealedWork,
    keys: pool,
    maxHdChildren: config.wallets.max_hd_children,
    retryUntilSettled: createRetryUntilSettled(log),
    reconciliation: createReconciliation(),
  };
}
