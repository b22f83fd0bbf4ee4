import { ensureAccount } from '../account/accounts.ts';
import { assertMayHaveScopes } from '../account/operators.ts';
import {
  type AccessToken,
  createToken,
  listTokens,
  revokeToken,
  type TokenDeps,
} from '../account/tokens/access-tokens.ts';
import { serviceError } from '../base/service-error.ts';
import type { AccountRequest } from './account-request.ts';

type TokensRequest = Extract<AccountRequest, { readonly kind: `tokens.${string}` }>;

/** Does what a request about access tokens asks, in the store and in the ring at once. A token is only in the result that creates it. */
export async function serveTokens(deps: TokenDeps, request: TokensRequest, nowMs: number): Promise<unknown> {
  switch (request.kind) {
    case 'tokens.create': {
      const { name, account, scopes, expiresInMs } = request;
      await assertMayHaveScopes(deps.store, account, scopes);
      const accountId = await ensureAccount(deps.store, account, nowMs);
      const expiresAtMs = expiresInMs === undefined ? undefined : nowMs + expiresInMs;
      const { id, text } = await createToken(deps, { accountId, name, scopes, expiresAtMs }, nowMs);
      const expiresAt = expiresAtMs === undefined ? null : new Date(expiresAtMs);
      const created = { created_at: new Date(nowMs), expires_at: expiresAt };
      return { id, token: text, name, account, scopes, ...created };
    }
    case 'tokens.list': {
      const tokens = await listTokens(deps.store, request.account);
      return { tokens: tokens.map((token) => showToken(token, nowMs)) };
    }
    case 'tokens.revoke': {
      const revokedAt = await revokeToken(deps, request.id, nowMs);
      if (revokedAt === undefined) throw serviceError('tokenNotFound', { id: request.id });
      return { id: request.id, revoked_at: revokedAt };
    }
  }
}

function showToken(token: AccessToken, nowMs: number) {
  const { id, prefix, name, account, scopes, createdAt, expiresAt, revokedAt } = token;
  const isOver = expiresAt !== null && expiresAt.getTime() <= nowMs;
  const state = revokedAt !== null ? 'revoked' : isOver ? 'expired' : 'valid';
  const instants = { created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt };
  return { id, prefix, name, account, scopes, state, ...instants };
}
