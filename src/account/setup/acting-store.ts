import { serviceError } from '../../core/service-error.ts';
import { accessTokens } from '../../store/access-tables.ts';
import { and, eq, gt, isNull } from '../../store/drizzle.ts';
import { loginSessions, members } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { SessionHolder } from '../identity/members/sessions.ts';
import { lockAccount } from '../accounts/find-account.ts';
import { isOperatorScope, type Scope } from '../identity/tokens/scopes.ts';

/** The session or the token that a request came with. */
export type Actor = { readonly accountId: string; readonly nowMs: number } & (
  | { readonly kind: 'session'; readonly session: SessionHolder }
  | { readonly kind: 'token'; readonly tokenId: string }
);

type WithStore = { readonly store: Store; readonly members: { readonly store: Store } };

/**
 * Returns the parts for one request of an account. Each transaction of their stores first checks that the actor may still do what the
 * request asks for, and blocks other changes of the account until it ends: between that check and the commit no member is removed or gets
 * another role, and no request ends a session or a token. Nothing is changed for an actor who has lost the right.
 *
 * Such a transaction rejects with ServiceError `sessionInvalid` when the session has ended or the member was removed; `roleInsufficient`
 * when the member has another role now; `tokenRevoked`, `tokenExpired`; `scopeMissing` when the account no longer operates the server.
 *
 * @param scopes those that the request needs.
 */
export function withActingStore<T extends WithStore>(deps: T, actor: Actor, scopes: readonly Scope[]): T {
  const acting = (shared: Store): Store => {
    const store = shared.ofAccount?.(actor.accountId) ?? shared;
    return {
      ...store,
      transaction: (work) =>
        store.transaction(async (tx) => {
          await assertMayAct(tx, actor, scopes);
          return work(tx);
        }),
    };
  };
  const { store, members } = deps;
  return { ...deps, store: acting(store), members: { ...members, store: acting(members.store) } };
}

async function assertMayAct(tx: StoreTransaction, actor: Actor, scopes: readonly Scope[]): Promise<void> {
  const { accountId, nowMs } = actor;
  const account = await lockAccount(tx, accountId);
  const scope = scopes.find(isOperatorScope);
  if (scope !== undefined && account?.operates !== true) throw serviceError('scopeMissing', { scope });
  if (actor.kind === 'session') await assertMember(tx, actor.session, nowMs);
  else await assertToken(tx, actor.tokenId, nowMs);
}

async function assertMember(
  tx: StoreTransaction,
  { sessionId, memberId, role }: SessionHolder,
  nowMs: number,
): Promise<void> {
  const { id, expiresAt } = loginSessions;
  const isStill = and(
    ...[eq(id, sessionId), gt(expiresAt, new Date(nowMs))],
    ...[eq(members.id, memberId), isNull(members.removedAt)],
  );
  const [present] = await tx
    .select({ role: members.role })
    .from(loginSessions)
    .innerJoin(members, eq(members.id, loginSessions.memberId))
    .where(isStill);
  if (present === undefined) throw serviceError('sessionInvalid');
  if (present.role !== role) throw serviceError('roleInsufficient', { role });
}

async function assertToken(tx: StoreTransaction, tokenId: string, nowMs: number): Promise<void> {
  const { id, revokedAt, expiresAt } = accessTokens;
  const [token] = await tx.select({ revokedAt, expiresAt }).from(accessTokens).where(eq(id, tokenId));
  if (token === undefined || token.revokedAt !== null) throw serviceError('tokenRevoked');
  if (token.expiresAt !== null && token.expiresAt.getTime() <= nowMs) throw serviceError('tokenExpired');
}
