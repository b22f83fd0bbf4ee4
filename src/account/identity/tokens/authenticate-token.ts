import type { Clock } from '../../../core/clock.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { Scope } from './scopes.ts';
import type { TokenFinding, TokenMember } from './token-ring.ts';

/** Account and token of a request. */
export type TokenHolder = { readonly accountId: string; readonly tokenId: string };

/** The holder of a token that was accepted. */
export type AuthenticatedHolder = TokenHolder & {
  readonly scopes: ReadonlySet<Scope>;
  /** The member of the session that the token belongs to; undefined for other tokens. */
  readonly member?: TokenMember | undefined;
};

/** Looks up access tokens, from memory. */
export type TokenFinder = { readonly find: (presented: string, nowMs: number) => TokenFinding };

export type TokenDeps = { readonly tokens: TokenFinder; readonly clock: Clock };

const BEARER = /^Bearer +([!-~]+) *$/i;

/**
 * Returns the holder of a token (RFC 6750 section 2.1) that has the required scope.
 *
 * @param onHolder called with the holder, also when the token is refused.
 * @throws ServiceError `tokenMissing`, `tokenUnknown`, `apiKeyAsToken`, `tokenRevoked`, `tokenExpired`, `scopeMissing`.
 */
export function authenticateToken(
  { tokens, clock }: TokenDeps,
  authorization: string | undefined,
  scopes: readonly string[],
  onHolder: (holder: TokenHolder) => void,
): AuthenticatedHolder {
  const presented = BEARER.exec(authorization ?? '')?.[1];
  if (presented === undefined) throw serviceError('tokenMissing');
  const finding = tokens.find(presented, clock.nowMs());
  if (finding.kind === 'unknown')
    throw serviceError(presented.startsWith('ks_key_') ? 'apiKeyAsToken' : 'tokenUnknown');
  const holder = { accountId: finding.accountId, tokenId: finding.tokenId };
  onHolder(holder);
  if (finding.kind === 'revoked') throw serviceError('tokenRevoked');
  if (finding.kind === 'expired') throw serviceError('tokenExpired');
  const held: ReadonlySet<string> = finding.scopes;
  const missing = scopes.find((scope) => !held.has(scope));
  if (missing !== undefined) throw serviceError('scopeMissing', { scope: missing });
  return { ...holder, scopes: finding.scopes, member: finding.member };
}
