import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { RestOperation } from '../../../runtime/rest-operation.ts';
import { scopesOf } from '../../account/identity/members/role-scopes.ts';
import { assertFresh, type SessionHolder } from '../../account/identity/members/sessions.ts';
import {
  type AuthenticatedHolder,
  authenticateToken,
  type TokenDeps,
} from '../../account/identity/tokens/authenticate-token.ts';
import { serviceError } from '../../core/service-error.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import { readSessionCookie } from './session-cookie.ts';

/** The sender of an accepted request. */
export type RestCaller =
  | ({ readonly kind: 'token' } & AuthenticatedHolder)
  | { readonly kind: 'session'; readonly accountId: string; readonly session: SessionHolder }
  | { readonly kind: 'anyone' };

/** A caller as the audit log names it. */
export type NamedCaller = {
  readonly accountId: string;
  readonly tokenId?: string;
  readonly memberId?: string;
};

/** The session lookup of a service that accepts sessions. */
type SessionDeps = {
  /** @throws ServiceError `sessionMissing`, `sessionInvalid`. */
  readonly find: (token: string | undefined, nowMs: number) => Promise<SessionHolder>;
  readonly baseUrlOf: BaseUrlOf;
};

export type AuthenticateOptions = TokenDeps & {
  /** Undefined for a service that accepts tokens only. */
  readonly sessions?: SessionDeps | undefined;
};

/** The steps on the way to the caller of a request. */
type AuthenticationSteps = {
  /** Called with the caller, even when the request is refused. */
  readonly keep?: (caller: NamedCaller) => void;
  /** Runs the session lookup, which anyone can cause. By default at once. */
  readonly search?: <T>(find: () => Promise<T>) => Promise<T>;
};

/**
 * Finds the caller of a request and checks that the operation is allowed: by the token in Authorization if there is one, else by the
 * session in the cookie.
 *
 * @throws ServiceError those of `authenticateToken` and of the search; `crossSiteRequest`, `sessionMissing`, `sessionInvalid`,
 *   `roleInsufficient`, `scopeMissing`, `freshFactorRequired`.
 */
export async function authenticateCaller(
  options: AuthenticateOptions,
  operation: RestOperation,
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

function assertAllowed(operation: RestOperation, session: SessionHolder, nowMs: number): void {
  const { roles, scopes, isFresh } = operation;
  if (!roles.includes(session.role)) throw serviceError('roleInsufficient', { role: roles.join(' or ') });
  const held: readonly string[] = scopesOf(session);
  const missing = scopes.find((scope) => !held.includes(scope));
  if (missing !== undefined) throw serviceError('scopeMissing', { scope: missing });
  if (isFresh) assertFresh(session, nowMs);
}

/** Values of Sec-Fetch-Site for requests that this server's own pages or the user made (Fetch Metadata). */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Refuses a request that a page of another origin sent. Only browsers send these headers.
 * @param origin the origin of this server, as the client knows it.
 * @throws ServiceError `crossSiteRequest`.
 */
export function assertSameSite(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? undefined : OWN_SITES.includes(String(site));
  const isOwnOrigin = headers.origin === undefined || headers.origin === origin;
  if (!(isOwn ?? isOwnOrigin)) throw serviceError('crossSiteRequest');
}
