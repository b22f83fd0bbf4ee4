import type { FastifyRequest } from 'fastify';
import { scopesOf } from '../../account/members/role-scopes.ts';
import { assertFresh, type SessionHolder } from '../../account/members/sessions.ts';
import { authenticateToken, type TokenDeps } from '../../account/tokens/authenticate-token.ts';
import { serviceError } from '../../base/service-error.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import type { NamedCaller, RestCaller } from './rest-caller.ts';
import type { ServedOperation } from './rest-service.ts';
import { assertSameSite } from './same-site.ts';
import { readSessionCookie } from './session-cookie.ts';

/** How sessions are found, for a service that takes them. */
export type SessionDeps = {
  /** @throws ServiceError `sessionMissing`, `sessionInvalid`. */
  readonly find: (token: string | undefined, nowMs: number) => Promise<SessionHolder>;
  readonly baseUrlOf: BaseUrlOf;
};

export type AuthenticateOptions = TokenDeps & {
  /** Undefined for a service that takes tokens alone. */
  readonly sessions?: SessionDeps | undefined;
};

/** What happens on the way to the caller of a request. */
export type AuthenticationSteps = {
  /** Called with the caller, also when he is refused. */
  readonly keep?: (caller: NamedCaller) => void;
  /** Runs the search for a session, which anyone can cause. By default at once. */
  readonly search?: <T>(find: () => Promise<T>) => Promise<T>;
};

/**
 * Finds out who sent a request, and whether the operation is allowed to him: by the token in Authorization if there is one, else by the
 * session in the cookie.
 *
 * @throws ServiceError those of `authenticateToken` and of the search; `crossSiteRequest`, `sessionMissing`, `sessionInvalid`, `roleInsufficient`,
 *   `scopeMissing`, `freshFactorRequired`.
 */
export async function authenticate(
  options: AuthenticateOptions,
  operation: ServedOperation,
  { headers, raw }: FastifyRequest,
  { keep = () => undefined, search = (find) => find() }: AuthenticationSteps = {},
): Promise<RestCaller> {
  const { auth, scopes } = operation;
  const { sessions } = options;
  const byToken = (): RestCaller => {
    return { kind: 'token', ...authenticateToken(options, headers.authorization, scopes, keep) };
  };
  if (sessions === undefined) return byToken();
  const baseUrl = sessions.baseUrlOf(raw);
  const { origin } = new URL(baseUrl);
  if (auth.length === 0) {
    assertSameSite(headers, origin);
    return { kind: 'anyone' };
  }
  const cookie = readSessionCookie(headers, baseUrl);
  const hasToken = auth.includes('token') && (headers.authorization !== undefined || cookie === undefined);
  if (hasToken) return byToken();
  if (cookie !== undefined) assertSameSite(headers, origin);
  const session = await search(() => sessions.find(cookie, options.clock.nowMs()));
  keep({ accountId: session.accountId, memberId: session.memberId });
  assertAllowed(operation, session, options.clock.nowMs());
  return { kind: 'session', accountId: session.accountId, session };
}

function assertAllowed(operation: ServedOperation, session: SessionHolder, nowMs: number): void {
  const { roles, scopes, isFresh } = operation;
  if (!roles.includes(session.role)) throw serviceError('roleInsufficient', { role: roles.join(' or ') });
  const held: readonly string[] = scopesOf(session);
  const missing = scopes.find((scope) => !held.includes(scope));
  if (missing !== undefined) throw serviceError('scopeMissing', { scope: missing });
  if (isFresh) assertFresh(session, nowMs);
}
