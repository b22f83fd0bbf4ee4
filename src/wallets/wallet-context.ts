import type { WalletDeps } from './wallet-deps.ts';
import type { Claim } from './claim.ts';

/** Account and token of a request, and its id. */
export type Caller = {
  readonly accountId: string;
  readonly tokenId: string;
  readonly requestId: string;
  /** Address of the client; undefined if unknown. */
  readonly address?: string | undefined;
};

/** The context of an operation: one request. */
export type WalletContext = WalletDeps & {
  readonly caller: Caller;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  readonly claim: Claim;
};
