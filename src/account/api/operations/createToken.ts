import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { mayGrant } from '../../identity/members/role-scopes.ts';
import type { Scope } from '../../identity/tokens/scopes.ts';
import { createToken as create } from '../../identity/tokens/access-tokens.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { callerEnd } from '../caller-end.ts';
import { recordChange } from '../record-change.ts';
import { toTokenView } from '../token-view.ts';

/** `POST /account/v1/tokens`: a token with no more rights than the caller. The secret is in the answer, and nowhere else. */
export const createToken: AccountHandler<AccountContext, 'createToken'> = async (context, { body }) => {
  const { caller, session, clock, bounds } = context;
  const { name, scopes, expires_in_seconds: seconds } = body;
  const mayGive = (scope: Scope) =>
    caller.scopes.has(scope) && (session === undefined || mayGrant(session.role, scope));
  const missing = scopes.find((scope) => !mayGive(scope));
  if (missing !== undefined) throw serviceError('scopeNotHeld', { scope: missing });
  const nowMs = clock.nowMs();
  const end = await callerEnd(context);
  const expiresAtMs = seconds === undefined ? end?.getTime() : nowMs + seconds * 1000;
  if (end !== undefined && expiresAtMs !== undefined && expiresAtMs > end.getTime())
    throw serviceError('outlivesToken', {
      until: new Date(expiresAtMs).toISOString(),
      expiresAt: end.toISOString(),
    });
  const deps = { ...context, record: recordChange(context, 'createtoken') };
  const wanted = { accountId: caller.accountId, name, scopes, expiresAtMs, atMost: bounds.max_tokens };
  const { text, token } = await create(deps, wanted, nowMs);
  return { kind: 'json', body: { ...toTokenView(token, nowMs), access_token: text } };
};
