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
import type { Claim } from './claim.ts';
import type { Reconciliation } from './managed/reconciliation.ts';

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

/** Who asks, and under which name the request is known. */
export type Caller = {
  readonly accountId: string;
  readonly tokenId: string;
  readonly requestId: string;
  /** Where the request came from; undefined where that is not known. */
  readonly address?: string | undefined;
};

/** What an operation works on: one request. */
export type WalletContext = WalletPlaces & {
  readonly caller: Caller;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  readonly claim: Claim;
};
