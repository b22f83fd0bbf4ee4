import { serviceError } from '../core/service-error.ts';
import type { WalletContext } from './wallet-context.ts';

/**
 * Looks up the token of a request again, in memory. Call it before each group of a stream is made or passed on, and last in the transaction
 * that commits work: a token that is revoked does nothing more. A token that expires still completes the requests that began before.
 *
 * @throws ServiceError `tokenRevoked`.
 */
export function assertNotRevoked({ tokens, caller }: Pick<WalletContext, 'tokens' | 'caller'>): void {
  if (tokens.isRevoked(caller.tokenId)) throw serviceError('tokenRevoked');
}
