import { errorEntry } from '../../../generated/errors.ts';
import { serviceError, toServiceError } from '../../base/service-error.ts';
import type { RefusalLog } from '../audit/refusal-log.ts';
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
import { type Attempt, countAttempt, forgetAttempt, networkOf } from './sign-in-attempts.ts';

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

/** The dependencies of signing in, and where refusals of a known login are recorded. */
export type SignInDeps = MemberDeps & { readonly refusals: Pick<RefusalLog, 'note'> };

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
const REFUSED: readonly string[] = ['signInFailed', 'signInLocked', 'secondFactorInvalid'];
const NOBODY_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Signs a member in: a session with a token of its own, whatever token the client had before. An unknown email, a wrong password and a
 * login without a membership are refused alike, after the same work. A refusal of a known login is in the audit log of its accounts, unless
 * what is missing is the code of its second factor, which clients ask for after the password.
 *
 * @throws ServiceError `signInFailed`; `signInLocked`; once the password was right, `secondFactorRequired` and `secondFactorInvalid`.
 */
export async function signIn(
  deps: SignInDeps,
  params: SignInParams,
  request: MemberRequest,
): Promise<NewSession> {
  const sent = { ...params, email: params.email.toLowerCase() };
  let memberships: readonly Membership[] = [];
  try {
    const started = await deps.passwords.admit(async () => {
      memberships = await findMemberships(deps, sent.email);
      return startSession(deps, sent, memberships, request);
    });
    return await finishSession(deps, { ...started, code: sent.code }, request);
  } catch (error) {
    const { code } = toServiceError(error);
    if (REFUSED.includes(code))
      for (const { accountId, memberId } of memberships)
        deps.refusals.note({
          ...{ holder: { accountId, memberId }, action: 'session.sign_in' },
          ...{ outcome: errorEntry(code).problem?.code ?? code },
          ...{ requestId: request.requestId, address: request.address },
        });
    throw error;
  }
}

type Started = {
  readonly attempt: Attempt;
  readonly membership: Membership | undefined;
  /** Of a session that nobody holds yet; undefined unless the password was right. */
  readonly token: string | undefined;
};

async function finishSession(
  deps: MemberDeps,
  { attempt, membership, token, code }: Started & Pick<SignInParams, 'code'>,
  request: MemberRequest,
): Promise<NewSession> {
  if (token === undefined || membership === undefined) throw serviceError('signInFailed');
  try {
    await forgetAttempt(deps, attempt);
    const isFresh = await checkFactor(deps, membership.userId, code, request);
    return await openSession(deps, { membership, token, isFresh }, request);
  } catch (error) {
    await deps.store.db.delete(loginSessions).where(eq(loginSessions.token, digestToken(token)));
    throw error;
  }
}

/** Counts the attempt and checks the password. */
async function startSession(
  deps: MemberDeps,
  { email, password, accountId }: SignInParams,
  memberships: readonly Membership[],
  { address, nowMs }: MemberRequest,
): Promise<Started> {
  const membership = memberships.find((one) => accountId === undefined || one.accountId === accountId);
  const attempt = await readAttempt(deps, { email, address }, nowMs);
  await countAttempt(deps, attempt, nowMs);
  const isKnown = membership !== undefined && password.length <= PASSWORD_LENGTH.limit;
  if (!isKnown) await readNoCredential(deps);
  const token = await deps.auth.startSession({
    email: isKnown ? email : NOBODY,
    password: password.slice(0, PASSWORD_LENGTH.limit),
  });
  return { attempt, membership, token };
}

/** The memberships of a login, the first that it got first. */
function findMemberships({ store }: MemberDeps, email: string): Promise<readonly Membership[]> {
  return store.db
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
    .where(and(eq(logins.email, email), isNull(members.removedAt)))
    .orderBy(asc(members.createdAt), asc(members.id));
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
