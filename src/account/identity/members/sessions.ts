import { hash } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, eq, gt, ne, sql } from '../../../store/drizzle.ts';
import { loginSessions, type MEMBER_ROLES } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { createStatement, type Executes } from '../../../store/statement.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { createKeyText, isKeyText } from '../api-keys/key-text.ts';
import { auditMember } from './audit-member.ts';
import type { MemberRequest } from './member-deps.ts';

export type Role = (typeof MEMBER_ROLES)[number];

/** The member and session of a request. */
export type SessionHolder = {
  readonly accountId: string;
  readonly memberId: string;
  /** The login, which may be a member of other accounts too. */
  readonly userId: string;
  readonly sessionId: string;
  readonly role: Role;
  /** True if the account operates the server. */
  readonly operates: boolean;
  /** Until when the second factor counts as just confirmed; 0: it was not confirmed. Unix time. */
  readonly freshFactorUntilMs: number;
  /** When the session ends. Unix time. */
  readonly expiresAtMs: number;
};

/** A session as it is listed, without its token. */
export type ListedSession = {
  readonly sessionId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** True for the session that lists. */
  readonly isCurrent: boolean;
};

type StoreOnly = { readonly store: Pick<Store, 'db' | 'transaction'> };

/** Milliseconds that a confirmed second factor counts as fresh. */
export const FRESH_MS = 5 * 60_000;

const findSession = createStatement<{ readonly token: string; readonly now: string }, Found>(
  (param) => sql`
    select s.id, s.user_id, s.member_id, m.account_id, m.role, a.operates, (extract(epoch from s.fresh_until) * 1000)::text as fresh_until_ms,
      (extract(epoch from s.expires_at) * 1000)::text as expires_at_ms
    from login_sessions s join members m on m.id = s.member_id join accounts a on a.id = m.account_id
    where s.token = ${param('token')} and s.expires_at > ${param('now')} and m.removed_at is null`,
);

type Found = {
  readonly id: string;
  readonly user_id: string;
  readonly member_id: string;
  readonly account_id: string;
  readonly role: Role;
  readonly operates: boolean;
  readonly fresh_until_ms: string | null;
  readonly expires_at_ms: string;
};

/**
 * Returns the holder of a session, as the store knows it now: a session that was ended anywhere, a member that was removed and a role
 * that was changed count at once. One statement; none for a token that was never issued.
 *
 * @throws ServiceError `sessionMissing`, `sessionInvalid`.
 */
export async function authenticateSession(
  db: Executes,
  token: string | undefined,
  nowMs: number,
): Promise<SessionHolder> {
  if (token === undefined || token === '') throw serviceError('sessionMissing');
  if (!isKeyText('ks_ses_', token)) throw serviceError('sessionInvalid');
  const sent = { token: digestToken(token), now: new Date(nowMs).toISOString() };
  const [found] = (await findSession(db, sent)).rows;
  if (found === undefined) throw serviceError('sessionInvalid');
  const { id, user_id, member_id, account_id, role, operates, fresh_until_ms, expires_at_ms } = found;
  return {
    accountId: account_id,
    memberId: member_id,
    userId: user_id,
    sessionId: id,
    role,
    operates,
    freshFactorUntilMs: Number(fresh_until_ms ?? 0),
    expiresAtMs: Number(expires_at_ms),
  };
}

/** @throws ServiceError `freshFactorRequired` unless the holder confirmed the second factor within the last five minutes. */
export function assertFresh({ freshFactorUntilMs }: SessionHolder, nowMs: number): void {
  if (freshFactorUntilMs <= nowMs) throw serviceError('freshFactorRequired');
}

/** @throws ServiceError `roleInsufficient` unless the holder is an owner. */
export function assertOwner({ role }: SessionHolder): void {
  if (role !== 'owner') throw serviceError('roleInsufficient', { role: 'owner' });
}

/** Asserts in a transaction that the session has not ended meanwhile, and keeps it from ending. @throws ServiceError `sessionInvalid`. */
export async function assertLive(tx: StoreTransaction, { sessionId }: SessionHolder): Promise<void> {
  const found = await tx
    .select({ id: loginSessions.id })
    .from(loginSessions)
    .where(eq(loginSessions.id, sessionId))
    .for('update');
  if (found.length === 0) throw serviceError('sessionInvalid');
}

/** Gives a session another token and makes it fresh. The earlier token is refused from now on. @throws ServiceError `sessionInvalid`. */
export async function renewSession(
  tx: StoreTransaction,
  { sessionId }: SessionHolder,
  nowMs: number,
): Promise<{ readonly token: string; readonly freshFactorUntilMs: number }> {
  const token = createKeyText('ks_ses_');
  const freshFactorUntilMs = nowMs + FRESH_MS;
  const renewed = await tx
    .update(loginSessions)
    .set({
      token: digestToken(token),
      freshUntil: new Date(freshFactorUntilMs),
      updatedAt: new Date(nowMs),
    })
    .where(eq(loginSessions.id, sessionId))
    .returning({ id: loginSessions.id });
  if (renewed.length === 0) throw serviceError('sessionInvalid');
  return { token, freshFactorUntilMs };
}

/** Ends the session of the holder. */
export async function signOut(
  { store }: StoreOnly,
  { accountId, memberId, sessionId }: SessionHolder,
  request: MemberRequest,
): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.delete(loginSessions).where(eq(loginSessions.id, sessionId));
    await auditMember(tx, { accountId, memberId, action: 'session.sign_out', subject: sessionId }, request);
  });
}

/** Lists the live sessions of the member, oldest first. */
export async function listSessions(
  { store }: StoreOnly,
  { memberId, sessionId }: SessionHolder,
  nowMs: number,
): Promise<readonly ListedSession[]> {
  const rows = await store.db
    .select()
    .from(loginSessions)
    .where(and(eq(loginSessions.memberId, memberId), gt(loginSessions.expiresAt, new Date(nowMs))))
    .orderBy(asc(loginSessions.createdAt), asc(loginSessions.id));
  return rows.map(({ id, createdAt, expiresAt, ipAddress: address, userAgent }) => ({
    sessionId: id,
    createdAt,
    expiresAt,
    address,
    userAgent,
    isCurrent: id === sessionId,
  }));
}

/** Ends one session of the member. @throws ServiceError `sessionNotFound`. */
export async function endSession(
  { store }: StoreOnly,
  { accountId, memberId }: SessionHolder,
  sessionId: string,
  request: MemberRequest,
): Promise<void> {
  await store.transaction(async (tx) => {
    const ended = await tx
      .delete(loginSessions)
      .where(and(eq(loginSessions.id, sessionId), eq(loginSessions.memberId, memberId)))
      .returning({ id: loginSessions.id });
    if (ended.length === 0) throw serviceError('sessionNotFound');
    await auditMember(tx, { accountId, memberId, action: 'session.end', subject: sessionId }, request);
  });
}

/** Ends every session of the login but the holder's, in other accounts too. */
export async function endOtherSessions(
  { store }: StoreOnly,
  holder: SessionHolder,
  request: MemberRequest,
): Promise<void> {
  await store.transaction(async (tx) => {
    await deleteOtherSessions(tx, holder);
    const { accountId, memberId } = holder;
    await auditMember(tx, { accountId, memberId, action: 'session.end_others' }, request);
  });
}

/** Deletes every session of the login but the holder's. */
export async function deleteOtherSessions(tx: StoreTransaction, holder: SessionHolder): Promise<void> {
  const { userId, sessionId } = holder;
  await tx
    .delete(loginSessions)
    .where(and(eq(loginSessions.userId, userId), ne(loginSessions.id, sessionId)));
}

/** SHA-256 of a session's token as hexadecimal digits: all that is stored of it. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'hex');
}
