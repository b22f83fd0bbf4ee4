import { randomUUID } from 'node:crypto';
import { errorEntry } from '../../../../generated/errors.ts';
import { serviceError, toServiceError } from '../../../core/service-error.ts';
import type { RefusalLog } from '../refusal-log.ts';
import { and, eq, lte, desc, gt, inArray, ne } from '../../../store/drizzle.ts';
import { loginSessions, members } from '../../../store/member-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { createKeyText } from '../api-keys/key-text.ts';
import { auditMember, type MemberChange } from './audit-member.ts';
import { assertUnchanged, countSender, isKnownSender } from './check-password.ts';
import { digestToken, FRESH_MS, type Role } from './sessions.ts';
import { comparePassword, findMemberships, type Membership } from './logins.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { checkSignInCode } from './member-factor.ts';
import { siteOf, takeBackAttempt } from './sign-in-attempts.ts';

/** The input of a sign-in. */
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

/** The dependencies of signing in, and where refusals of a known login are recorded. */
export type SignInDeps = MemberDeps & { readonly refusals: Pick<RefusalLog, 'note'> };

/** Lifetime of a session, in seconds. */
export const SESSION_SECONDS = 7 * 86_400;

const MAX_USER_AGENT = 256;
const REFUSED: readonly string[] = ['signInFailed', 'signInLocked', 'secondFactorInvalid'];

/**
 * Signs a member in: a session with a token of its own, whatever token the client had before. An unknown email, a wrong password and a
 * login without a membership are refused alike, after the same work. A refusal of a known email is in the audit log of its accounts, unless
 * what is missing is the code of its second factor, which clients ask for after the password.
 *
 * @throws ServiceError `signInFailed`; `signInLocked`; once the password was right, `secondFactorRequired` and `secondFactorInvalid`.
 */
export async function signIn(
  deps: SignInDeps,
  params: SignInParams,
  request: MemberRequest,
): Promise<NewSession> {
  const email = params.email.toLowerCase();
  let tried: readonly Membership[] = [];
  try {
    const { address, nowMs } = request;
    const check = async () => {
      tried = await findMemberships(deps.store, email);
      const sender = await countSender(deps, { email, address }, nowMs);
      const { matching } = await comparePassword(deps, tried, {
        ...params,
        sender,
        address,
      });
      const { accountId } = params;
      const found = matching.find((one) => accountId === undefined || one.accountId === accountId);
      if (found === undefined) throw serviceError('signInFailed');
      await takeBackAttempt(deps, sender.attempt);
      return found;
    };
    const isKnown = () => isKnownSender(deps, { email, address }, nowMs);
    const membership = await deps.passwords.admit(siteOf(address), check, isKnown);
    const { userId } = membership;
    tried = tried.filter((one) => one.userId === userId);
    const isFresh = await checkSignInCode(deps, { userId, code: params.code }, request);
    return await openSession(deps, membership, isFresh, request);
  } catch (error) {
    const { code } = toServiceError(error);
    if (REFUSED.includes(code)) noteRefusal(deps, tried, errorEntry(code).problem?.code ?? code, request);
    throw error;
  }
}

/**
 * If several logins have the email, any of them may have been meant: their accounts do not learn the address of the sender, who may be a
 * stranger to them.
 */
function noteRefusal(
  { refusals }: SignInDeps,
  tried: readonly Membership[],
  outcome: string,
  { requestId, address }: MemberRequest,
): void {
  const isOne = new Set(tried.map(({ userId }) => userId)).size === 1;
  for (const { accountId, memberId } of tried)
    refusals.note({
      holder: { accountId, memberId },
      action: 'session.sign_in',
      outcome,
      requestId,
      address: isOne ? address : undefined,
    });
}

/** Opens a session, unless the password was replaced since it was read. Sessions of the login that have expired or are too many are deleted. */
async function openSession(
  { store }: MemberDeps,
  { userId, memberId, accountId, role, hash }: Membership & { readonly hash: string },
  isFresh: boolean,
  request: MemberRequest,
): Promise<NewSession> {
  const { nowMs, address = null, userAgent = null } = request;
  const [token, sessionId] = [createKeyText('ks_ses_'), randomUUID()];
  const [now, expiresAt] = [new Date(nowMs), new Date(nowMs + SESSION_SECONDS * 1_000)];
  const freshFactorUntilMs = isFresh ? nowMs + FRESH_MS : 0;
  const isExpired = and(eq(loginSessions.userId, userId), lte(loginSessions.expiresAt, now));
  const client = { ipAddress: address, userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null };
  await store.transaction(async (tx) => {
    await assertUnchanged(tx, { userId, hash });
    await tx.insert(loginSessions).values({
      id: sessionId,
      userId,
      memberId,
      token: digestToken(token),
      ...client,
      createdAt: now,
      updatedAt: now,
      expiresAt,
      freshUntil: isFresh ? new Date(freshFactorUntilMs) : null,
    });
    await tx.delete(loginSessions).where(isExpired);
    const own = { userId, memberId, accountId, sessionId };
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

/** A session that ended, of a login as a member of an account. */
type EndedSession = {
  readonly sessionId: string;
  readonly memberId: string;
  readonly accountId: string;
};

/** Live sessions of a login, in all its accounts. */
const MOST_SESSIONS = 20;

/** Deletes the oldest live sessions of a login above its limit, never the one that was just opened. @returns the deleted ones. */
async function endOldestSessions(
  tx: StoreTransaction,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  nowMs: number,
): Promise<readonly EndedSession[]> {
  const { id, createdAt, expiresAt } = loginSessions;
  const ended = await tx
    .select({ sessionId: id, memberId: members.id, accountId: members.accountId })
    .from(loginSessions)
    .innerJoin(members, eq(members.id, loginSessions.memberId))
    .where(and(eq(loginSessions.userId, userId), ne(id, sessionId), gt(expiresAt, new Date(nowMs))))
    .orderBy(desc(createdAt), desc(id))
    .offset(MOST_SESSIONS - 1);
  const ids = ended.map((session) => session.sessionId);
  if (ids.length > 0) await tx.delete(loginSessions).where(inArray(id, ids));
  return ended;
}
