import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { scopesOf } from '../../identity/members/role-scopes.ts';
import { isWalletScope } from '../../identity/tokens/scopes.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/**
 * `POST /account/v1/session/credentials`. The token is for the wallet service only: this service requires the session, which may have to be
 * fresh.
 */
export const createCredentials: AccountHandler<AccountContext, 'createCredentials'> = async (context) => {
  const holder = sessionOf(context);
  const scopes = scopesOf(holder).filter(isWalletScope);
  const { store, credentials } = context;
  const { apiKey, accessToken, expiresAt } = await credentials.create(store, holder, scopes);
  const ends = { expires_at: expiresAt.toISOString() };
  return { kind: 'json', body: { api_key: apiKey, access_token: accessToken, ...ends } };
};
