import type { TokenMember } from '../account/identity/tokens/token-ring.ts';
import type { WalletDeps } from './wallet-deps.ts';
import type { Claim } from './claim.ts';

/** Account and token of a request, and its id. */
export type Caller = {
  readonly accountId: string;
  readonly tokenId: string;
  /** The member of the session that the token belongs to; undefined for other tokens. */
  readonly member?: TokenMember | undefined;
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
