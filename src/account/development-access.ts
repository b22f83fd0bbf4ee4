import type { SQL } from 'drizzle-orm';
import { and, eq, isNull, ne } from '../store/drizzle.ts';
import { accessTokens } from '../store/access-tables.ts';
import { toServiceError } from '../base/service-error.ts';
import { DEVELOPMENT } from './development-name.ts';
import { createToken, revokeToken, setScopes, type TokenDeps } from './tokens/access-tokens.ts';
import { SCOPES } from './tokens/scopes.ts';
import {
  enrolTwoFactor,
  hasTwoFactor,
  removeTwoFactor,
  type TwoFactorDeps,
} from './two-factor/two-factor.ts';

/** Credentials of the development account for the wallet API: the members of `dev.json` with these names. */
export type DevelopmentAccess = {
  readonly access_token: string;
  /** Base-32, as authenticator apps take it. */
  readonly totp_secret: string;
};

/**
 * Ensures a token with every scope, and a second factor. Credentials in `kept` from an earlier start are kept if they still work; otherwise
 * they are replaced, and those that the server made before are refused.
 *
 * @param kept contents of `dev.json`, which may be anything.
 */
export async function ensureDevelopmentAccess(
  deps: TokenDeps & TwoFactorDeps,
  accountId: string,
  kept: Partial<DevelopmentAccess>,
  nowMs: number,
): Promise<DevelopmentAccess> {
  const known = findKept(deps, accountId, kept, nowMs);
  // A token of an earlier version lacks the scopes that came since.
  if (known?.isComplete === false) await setScopes(deps, known.id, SCOPES);
  const token = known ?? (await makeToken(deps, accountId, nowMs));
  await revokeTokens(
    deps,
    accountId,
    nowMs,
    and(eq(accessTokens.name, DEVELOPMENT), ne(accessTokens.id, token.id)),
  );
  if (kept.totp_secret !== undefined && (await hasTwoFactor(deps, accountId, kept.totp_secret)))
    return { access_token: token.text, totp_secret: kept.totp_secret };
  await removeSecondFactor(deps, accountId);
  const { secret } = await enrolTwoFactor(deps, { accountId, account: DEVELOPMENT }, nowMs);
  return { access_token: token.text, totp_secret: secret };
}

/** Removes both: revokes every token of the account and deletes its second factor. */
export async function revokeDevelopmentAccess(
  deps: TokenDeps,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await revokeTokens(deps, accountId, nowMs);
  await removeSecondFactor(deps, accountId);
}

function findKept(
  { tokens }: TokenDeps,
  accountId: string,
  { access_token: text = '' }: Partial<DevelopmentAccess>,
  nowMs: number,
) {
  const found = tokens.find(text, nowMs);
  if (found.kind !== 'valid' || found.accountId !== accountId) return undefined;
  return { id: found.tokenId, text, isComplete: SCOPES.every((scope) => found.scopes.has(scope)) };
}

function makeToken(deps: TokenDeps, accountId: string, nowMs: number) {
  const wanted = { accountId, name: DEVELOPMENT, scopes: SCOPES, expiresAtMs: undefined };
  return createToken(deps, wanted, nowMs);
}

async function revokeTokens(deps: TokenDeps, accountId: string, nowMs: number, which?: SQL): Promise<void> {
  const { accountId: owner, id, revokedAt } = accessTokens;
  const live = await deps.store.db
    .select({ id })
    .from(accessTokens)
    .where(and(eq(owner, accountId), isNull(revokedAt), which));
  for (const other of live) await revokeToken(deps, other.id, nowMs);
}

async function removeSecondFactor({ store }: Pick<TokenDeps, 'store'>, accountId: string): Promise<void> {
  await removeTwoFactor(store, accountId).catch((error: unknown) => {
    if (toServiceError(error).code !== 'twoFactorNotEnrolled') throw error;
  });
}
