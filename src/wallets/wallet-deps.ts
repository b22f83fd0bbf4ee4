import type { Logger } from 'pino';
import type { Idempotency } from '../account/idempotency/idempotency.ts';
import type { InstallationKey } from '../account/sealing/installation-key.ts';
import type { Money } from '../account/billing/books/money.ts';
import type { TokenRing } from '../account/identity/tokens/token-ring.ts';
import type { Clock } from '../core/clock.ts';
import type { KeyPool } from '../core/keys/pool.ts';
import type { SealedWork } from '../signer/sealed-work.ts';
import type { Signer } from '../signer/signer.ts';
import type { PrioritizedStore } from '../store/open-store.ts';
import type { RetryUntilSettled } from './retry-until-settled.ts';

/** The dependencies of the wallet service. */
export type WalletDeps = {
  readonly store: PrioritizedStore;
  readonly money: Money;
  /** See `Billing`. */
  readonly payLater: (accountId: string, wanted?: bigint) => Promise<boolean>;
  readonly idempotency: Idempotency;
  /** The access tokens, in memory. */
  readonly tokens: Pick<TokenRing, 'isRevoked' | 'use'>;
  readonly installationKey: InstallationKey;
  readonly signer: Signer;
  readonly sealedWork: SealedWork;
  readonly keys: KeyPool;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly retryUntilSettled: RetryUntilSettled;
  readonly reconciliation: Reconciliation;
  /** The id of this process in `gateways`. */
  readonly ownerId: string;
  /** Maximum number of children that one call derives. */
  readonly maxHdChildren: number;
};

/**
 * The search for rows of wallets that the signer has destroyed: those of a store restored from a backup, and of a destruction that was
 * interrupted before its row was deleted.
 */
export type Reconciliation = {
  /** True when none of them is left. Until then, check rows with `destroyedOf`. */
  readonly isDone: () => boolean;
  /**
   * Goes through all rows once, page by page, and deletes those: the destruction is completed at the signer, and audited under a request id
   * of this start. Failures are logged and retried. Resolves when it is done or closed; never rejects.
   */
  readonly start: (deps: Pick<WalletDeps, 'store' | 'signer' | 'clock' | 'ownerId' | 'log'>) => Promise<void>;
  /** Stops it; the next start begins again. Call it before the signer and the store are closed. */
  readonly close: () => Promise<void>;
};
