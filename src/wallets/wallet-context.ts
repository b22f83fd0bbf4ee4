import type { WalletPlaces } from './wallet-places.ts';
import type { Claim } from './claim.ts';

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
