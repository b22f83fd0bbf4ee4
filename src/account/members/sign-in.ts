import { serviceError } from '../../base/service-error.ts';
import { and, asc, eq, isNull, lte } from '../../store/drizzle.ts';
import { loginCredentials, loginSessions, logins, members } from '../../store/member-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { SESSION_SECONDS } from './auth.ts';
import { auditMember, type MemberChange } from './audit-member.ts';
import { assertUnchanged, isPasswordOf } from './check-password.ts';
import { digestToken } from './digest-token.ts';
import { PASSWORD_LENGTH } from './hash-password.ts';
import { readAttempt } from './known-address.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { assertRight, checkMemberCode, readMemberFactor } from './member-factor.ts';
import { endOldestSessions, type EndedSession } from './oldest-sessions.ts';
import { FRESH_MS, type Role } from './sessions.ts';
import { countAttempt, forgetAttempt, networkOf } from './sign-in-attempts.ts';

/** What a member signs in with. */
export type SignInParams = {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, or a backup code. */
  readonly code?: string | undefined;
  /** The account, for a login that is a member of several; default: the one that it joined first. */
  readonly accountId?: string | undefined;
};

/** A new session. `token` is the secret, which is stored nowhere. */
export type NewSession = {
  readonly token: string;
  readonly expiresAt: Date;
  readonly memberId: string;
  readonly accountId: string;
  readonly role: Role;
  /** As in `SessionHolder`. */
  readonly freshFactorUntilMs: number;
};

type Membership = {
  readonly userId: string;
  readonly memberId: string;
  readonly accountId: string;
  readonly role: Role;
  /** Of the password, as it was before this sign-in was checked; null: none opens the login. */
  readonly hash: string | null;
};

const MAX_USER_AGENT = 256;
/** No login has it: a name below `invalid` exists nowhere (RFC 2606). */
const NOBODY = 'nobody@keyslot.invalid';
const NOBODY_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Signs a member in: a session with a token of its own, whatever token the client had before. An unknown email, a wrong password and a
 * login without a membership are refused alike, after the same work.
 *
 * @throws ServiceError `signInFailed`; `signInLocked`; once the password was right, `secondFactorRequired` and `secondFactorInvalid`.
 */
export async function signIn(
  deps: MemberDeps,
  sent: SignInParams,
  request: MemberRequest,
): Promise<NewSession> {
  const email = sent.email.toLowerCase();
  const { attempt, membership, token } = await deps.passwords.admit(async () => {
    const attempt = await readAttempt(deps, { email, address: request.address }, request.nowMs);
    await countAttempt(deps, attempt, request.nowMs);
    return { attempt, ...(await startSession(deps, { ...sent, email })) };
  });
  if (token === undefined || membership === undefined) throw serviceError('signInFailed');
  try {
    await forgetAttempt(deps, attempt);
    const isFresh = await checkFactor(deps, membership.userId, sent.code, request);
    return await openSession(deps, { membership, token, isFresh }, request);
  } catch (error) {
    await deps.store.db.delete(loginSessions).where(eq(loginSessions.token, digestToken(token)));
    throw error;
  }
}

/** The membership that there is, and the token of a session for a right password. */
async function startSession(
  deps: MemberDeps,
  { email, password, accountId }: SignInParams,
): Promise<{ readonly membership: Membership | undefined; readonly token: string | undefined }> {
  const membership = await findMembership(deps, email, accountId);
  const isKnown = membership !== undefined && password.length <= PASSWORD_LENGTH.limit;
  if (!isKnown) await readNoCredential(deps);
  const token = await deps.auth.startSession({
    email: isKnown ? email : NOBODY,
    password: password.slice(0, PASSWORD_LENGTH.limit),
  });
  return { membership, token };
}

async function findMembership(
  { store }: MemberDeps,
  email: string,
  accountId: string | undefined,
): Promise<Membership | undefined> {
  const isWanted = accountId === undefined ? undefined : eq(members.accountId, accountId);
  const [found] = await store.db
    .select({
      userId: members.userId,
      memberId: members.id,
      accountId: members.accountId,
      role: members.role,
      hash: loginCredentials.password,
    })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .leftJoin(loginCredentials, isPasswordOf(members.userId))
    .where(and(eq(logins.email, email), isNull(members.removedAt), isWanted))
    .orderBy(asc(members.createdAt), asc(members.id))
    .limit(1);
  return found;
}

/** Better Auth reads the credential of a login that there is: the same for one that there is not. */
async function readNoCredential({ store }: MemberDeps): Promise<void> {
  await store.db.select().from(loginCredentials).where(eq(loginCredentials.userId, NOBODY_ID));
}

/** @returns true when a code was right, false for a login without a second factor. */
async function checkFactor(
  deps: MemberDeps,
  userId: string,
  code: string | undefined,
  request: MemberRequest,
): Promise<boolean> {
  if ((await readMemberFactor(deps.store.db, userId)) === undefined) return false;
  if (code === undefined) throw serviceError('secondFactorRequired');
  // One at each address: wrong codes elsewhere lock nobody here before they lock the login.
  const sender = `sign-in at ${networkOf(request.address ?? '?')}`;
  assertRight(await checkMemberCode(deps, { userId, code, sender }, request), request.nowMs);
  return true;
}

/** Gives the session its member, unless the password was replaced since it was read. Sessions of the login that have expired or are too many are deleted. */
async function openSession(
  { store }: MemberDeps,
  opened: { readonly membership: Membership; readonly token: string; readonly isFresh: boolean },
  request: MemberRequest,
): Promise<NewSession> {
  const { nowMs, address = null, userAgent = null } = request;
  const { membership, token, isFresh } = opened;
  const { userId, memberId, accountId, role, hash } = membership;
  if (hash === null) throw serviceError('signInFailed');
  const expiresAt = new Date(nowMs + SESSION_SECONDS * 1_000);
  const freshFactorUntilMs = isFresh ? nowMs + FRESH_MS : 0;
  const isExpired = and(eq(loginSessions.userId, userId), lte(loginSessions.expiresAt, new Date(nowMs)));
  const client = { ipAddress: address, userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null };
  const row = { memberId, expiresAt, createdAt: new Date(nowMs), ...client };
  await store.transaction(async (tx) => {
    await assertUnchanged(tx, { userId, hash });
    const [session] = await tx
      .update(loginSessions)
      .set({ ...row, freshUntil: isFresh ? new Date(freshFactorUntilMs) : null })
      .where(eq(loginSessions.token, digestToken(token)))
      .returning({ id: loginSessions.id });
    if (session === undefined) throw serviceError('signInFailed');
    await tx.delete(loginSessions).where(isExpired);
    const own = { userId, memberId, accountId, sessionId: session.id };
    const ended = await endOldestSessions(tx, own, nowMs);
    await recordSignIn(tx, own, ended, request);
  });
  return { token, expiresAt, memberId, accountId, role, freshFactorUntilMs };
}

/** Accounts in the order of their ids, so that two transactions never wait for each other's chains. */
async function recordSignIn(
  tx: StoreTransaction,
  { memberId, accountId, sessionId }: EndedSession,
  ended: readonly EndedSession[],
  request: MemberRequest,
): Promise<void> {
  const ends = ended.map(({ sessionId: subject, ...member }): MemberChange => {
    return { ...member, action: 'session.end', subject };
  });
  const opening: MemberChange = { memberId, accountId, action: 'session.sign_in', subject: sessionId };
  const changes = [opening, ...ends].sort((one, other) => one.accountId.localeCompare(other.accountId));
  for (const change of changes) await auditMember(tx, change, request);
}
