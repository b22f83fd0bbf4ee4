import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import type { Store } from '../../store/open-store.ts';
import { followStore } from '../../store/follow-store.ts';
import { backfillChargeRecords } from '../billing/books/backfill-charge-records.ts';
import { joinGateways } from '../processes/gateway.ts';
import { createIdempotency, type Idempotency } from '../idempotency/idempotency.ts';
import {
  type InstallationKey,
  type InstallationKeyLocation,
  loadInstallationKey,
} from '../sealing/installation-key.ts';
import { createMoney, type Money } from '../billing/books/money.ts';
import { OPERATOR_CHANNEL, readOperators } from '../identity/operators.ts';
import { TOKEN_CHANNEL } from '../identity/tokens/access-tokens.ts';
import { readTokens, TokenRing } from '../identity/tokens/token-ring.ts';
import { CreateLimitBook, LIMIT_CHANNEL, readCreateLimits } from '../plans/wallet-create-limit.ts';
import { PARAMS_CHANNEL, readRecordedParams, RecordedParams } from '../requests/recorded-params.ts';
import { readUseLimits, USE_LIMIT_CHANNEL, UseLimitBook } from '../plans/wallet-use-limit.ts';

/** The wallet service's view of accounts while this process serves. */
export type AccountPlane = {
  /** Access tokens in step with the store, whichever process changes them. */
  readonly tokens: TokenRing;
  /** Limits on wallet creation per account, kept in step the same way. */
  readonly limits: CreateLimitBook;
  /** Limits on wallet use for accounts that differ from their plan, kept in step the same way. */
  readonly useLimits: UseLimitBook;
  /** Accounts whose params of ledger calls are kept, kept in step the same way. */
  readonly recordedParams: RecordedParams;
  readonly money: Money;
  readonly idempotency: Idempotency;
  readonly installationKey: InstallationKey;
  /** The id of this process in `gateways`. */
  readonly ownerId: string;
  /** Call it once no request is under way, before the store is closed. */
  readonly close: () => Promise<void>;
};

export type AccountPlaneOptions = InstallationKeyLocation & {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
};

const FORGET_MS = 3_600_000;

/**
 * Opens the account plane, after settling the reservations of processes that are gone.
 *
 * @throws ServiceError `invalidConfig` when the installation key cannot be read or made; any error of the store.
 */
export async function openAccountPlane(options: AccountPlaneOptions): Promise<AccountPlane> {
  const { store, clock, log } = options;
  const installationKey = await loadInstallationKey(options);
  const [tokens, limits, useLimits] = [new TokenRing(), new CreateLimitBook(), new UseLimitBook()];
  const recordedParams = new RecordedParams();
  await using opened = new AsyncDisposableStack();
  const gateway = await joinGateways({ store, clock, log });
  opened.defer(() => gateway.close());
  await backfillChargeRecords(store, clock.nowMs());
  const followed = [
    { channel: TOKEN_CHANNEL, read: (id?: string) => readTokens(store, tokens, clock.nowMs(), id) },
    { channel: OPERATOR_CHANNEL, read: (id?: string) => readOperators(store, tokens, id) },
    { channel: LIMIT_CHANNEL, read: (id?: string) => readCreateLimits(store, limits, id) },
    { channel: USE_LIMIT_CHANNEL, read: (id?: string) => readUseLimits(store, useLimits, id) },
    {
      channel: PARAMS_CHANNEL,
      read: (id?: string) => readRecordedParams(store, recordedParams, clock.nowMs(), id),
    },
  ];
  for (const one of followed) {
    const following = await followStore(store.listen, one);
    opened.defer(() => following.close());
  }
  const forgetting = setInterval(() => tokens.forgetExpired(clock.nowMs()), FORGET_MS).unref();
  opened.defer(() => clearInterval(forgetting));
  const ownerId = gateway.id;
  const running = opened.move();
  return {
    tokens,
    limits,
    useLimits,
    recordedParams,
    installationKey,
    ownerId,
    money: createMoney({ ownerId }),
    idempotency: createIdempotency({ ownerId, installationKey }),
    close: () => running.disposeAsync(),
  };
}
