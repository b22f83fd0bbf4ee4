import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import type { AccountPlane } from './account/account-plane.ts';
import type { Clock } from './clock.ts';
import { createMemoryRateLimit } from './gate/memory-rate-limit.ts';
import type { Metrics } from './gate/metrics.ts';
import { createRestEndpoint, type RestEndpoint } from './server/rest/rest-endpoint.ts';
import type { Keys } from './start-keys.ts';
import type { Store } from './store/open-store.ts';
import { createAfterwards } from './wallets/afterwards.ts';
import { answerRequest } from './wallets/answer-request.ts';
import { destroyAbandonedKeys } from './wallets/managed/make-keys.ts';
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

/** Opens the wallet service; to be settled before the account plane is closed: keys that a process which is gone left without a wallet are destroyed first. */
export async function startWallets(parts: WalletParts): Promise<RestEndpoint> {
  const { config, account, metrics, clock, log } = parts;
  const { tokens, limits } = account;
  const places = placesOf(parts);
  await destroyAbandonedKeys(places);
  return createRestEndpoint({
    ...{ places, answerRequest, tokens, limits, rateLimit: createMemoryRateLimit(), clock, log },
    maxBodyBytes: config.http.max_body_bytes,
    corsOrigins: config.wallets.cors_origins,
    onRefusal: metrics.countRefusal,
  });
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
    afterwards: createAfterwards(log),
  };
}
