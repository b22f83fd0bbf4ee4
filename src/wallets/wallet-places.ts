import type { Logger } from 'pino';
import type { Idempotency } from '../account/idempotency.ts';
import type { InstallationKey } from '../account/installation-key.ts';
import type { Money } from '../account/money/money.ts';
import type { Clock } from '../base/clock.ts';
import type { KeyPool } from '../keys/pool.ts';
import type { SealedWork } from '../signer/sealed-work.ts';
import type { Signer } from '../signer/signer.ts';
import type { Store } from '../store/open-store.ts';
import type { Afterwards } from './afterwards.ts';

/** What the wallet service works with. */
export type WalletPlaces = {
  readonly store: Store;
  readonly money: Money;
  readonly idempotency: Idempotency;
  readonly installationKey: InstallationKey;
  readonly signer: Signer;
  readonly sealedWork: SealedWork;
  readonly keys: KeyPool;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly afterwards: Afterwards;
  readonly reconciliation: Reconciliation;
  /** The id of this process in `gateways`. */
  readonly ownerId: string;
  /** Most children that one call derives. */
  readonly maxHdChildren: number;
};

/**
 * The search for rows of wallets that the signer knows as destroyed: those of a store that was restored from a backup, and of a
 * destruction that was broken off before its row was gone.
 */
export type Reconciliation = {
  /** Whether none of them is left. Until then who reads a row asks by `destroyedOf`. */
  readonly isDone: () => boolean;
  /**
   * Goes through all rows once, page by page, and deletes those: the destruction is completed at the signer, and on record under a
   * request id of this start. What fails is logged and tried again. Resolves when it is done or closed; never rejects.
   */
  readonly start: (
    places: Pick<WalletPlaces, 'store' | 'signer' | 'clock' | 'ownerId' | 'log'>,
  ) => Promise<void>;
  /** Ends it where it is; the next start begins anew. To be called before the signer and the store are closed. */
  readonly close: () => Promise<void>;
};
