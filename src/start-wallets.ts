import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import type { AccountPlane } from './account/account-plane.ts';
import type { Clock } from './clock.ts';
import { createMemoryRateLimit } from './gate/memory-rate-limit.ts';
import type { Metrics } from './gate/metrics.ts';
import type { HttpHandler } from './server/http/http-server.ts';
import { createRestEndpoint } from './server/rest/rest-endpoint.ts';
import type { Keys } from './start-keys.ts';
import type { Store } from './store/open-store.ts';
import { createAfterwards } from './wallets/afterwards.ts';
import { answerRequest } from './wallets/answer-request.ts';
import { destroyAbandonedKeys } from './wallets/managed/make-keys.ts';
import { createReconciliation } from './wallets/managed/reconciliation.ts';
import type { WalletPlaces } from './wallets/wallet-context.ts';

export type WalletParts = {
  readonly config: Pick<Config, 'http' | 'wallets'>;
  readonly store: Store;
  readonly account: AccountPlane;
  readonly keys: Keys;
  readonly metrics: Pick<Metrics, 'countRefusal'>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The wallet service while it is open. */
export type OpenWallets = {
  readonly handler: HttpHandler;
  /**
   * Ends the search for rows of destroyed wallets, and resolves when no request is under way any more. To be called when nothing is
   * listened for, before the account plane is closed.
   */
  readonly close: () => Promise<void>;
};

/**
 * Opens the wallet service: keys that a process which is gone left without a wallet are destroyed first. Rows of destroyed wallets are
 * looked for meanwhile.
 */
export async function startWallets(parts: WalletParts): Promise<OpenWallets> {
  const { config, account, metrics, clock, log } = parts;
  const { tokens, limits } = account;
  const places = placesOf(parts);
  await destroyAbandonedKeys(places);
  const { handler, settled } = await createRestEndpoint({
    ...{ places, answerRequest, tokens, limits, rateLimit: createMemoryRateLimit(), clock, log },
    maxBodyBytes: config.http.max_body_bytes,
    corsOrigins: config.wallets.cors_origins,
    onRefusal: metrics.countRefusal,
  });
  void places.reconciliation.start(places);
  return { handler, close: async () => void (await Promise.all([places.reconciliation.close(), settled()])) };
}

/** What the service works with. */
export function placesOf({
  config,
  store,
  account,
  keys,
  clock,
  log,
}: Omit<WalletParts, 'metrics'>): WalletPlaces {
  const { money, idempotency, installationKey, ownerId } = account;
  const { signer, sealedWork, pool } = keys;
  return {
    ...{ store, money, idempotency, installationKey, ownerId, clock, log },
    ...{ signer, sealedWork, keys: pool, maxHdChildren: config.wallets.max_hd_children },
    ...{ afterwards: createAfterwards(log), reconciliation: createReconciliation() },
  };
}
