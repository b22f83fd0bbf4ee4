import { randomBytes, createHmac } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { and, eq, gt, count, isNull } from '../../../store/drizzle.ts';
import { logins, memberFactorDrafts, memberFactors, backupCodes } from '../../../store/member-tables.ts';
import type { Executes } from '../../../store/statement.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import {
  checkCode,
  createFactorTable,
  lockOf,
  type TwoFactorFinding,
  findStep,
  plainCode,
  SECRET_BYTES,
  type ShownSecret,
  showSecret,
} from '../two-factor/check-code.ts';
import { openSecret, sealSecret } from '../two-factor/sealed-secret.ts';
import { auditLogin } from './audit-login.ts';
import { auditMember } from './audit-member.ts';
import { assertUnchanged, checkPassword } from './check-password.ts';
import { countAttempt, lockedSignIn, networkOf, takeBackAttempt } from './sign-in-attempts.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { assertFresh, assertLive, renewSession, type SessionHolder } from './sessions.ts';
import type { InstallationKey } from '../../sealing/installation-key.ts';

/** A session with another token than before. */
export type RenewedSession = { readonly token: string; readonly freshFactorUntilMs: number };

const FACTORS = createFactorTable(memberFactors, 'user_id');
const DRAFT_MS = 15 * 60_000;
const TIME_CODE = /^[0-9]{6}$/;

/** The second factor of a login, if it has one. */
export function readMemberFactor(
  db: Executes,
  userId: string,
): Promise<typeof memberFactors.$inferSelect | undefined> {
  return FACTORS.read(db, userId);
}

/**
 * Checks a code of the second factor of a login, or one of its backup codes, which it uses up: see `checkCode`.
 * @param sender the unit in which wrong codes are counted, in addition to the address and the login.
 */
export async function checkMemberCode(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  { userId, code, sender }: { readonly userId: string; readonly code: string; readonly sender: string },
  { address, nowMs }: MemberRequest,
): Promise<TwoFactorFinding> {
  const guesser = { tokenId: sender, address };
  const seen = await readMemberFactor(deps.store.db, userId);
  if (seen === undefined) return { kind: 'notEnrolled' };
  const isBackup = !TIME_CODE.test(plainCode(code)) && lockOf(seen, guesser) <= nowMs;
  if (isBackup && (await useBackupCode(deps, { userId, code, nowMs }))) return { kind: 'ok' };
  return checkCode(deps, FACTORS, { ...guesser, ownerId: userId, code, nowMs }, seen);
}

/**
 * Confirms the second factor, or uses up a backup code: the session is fresh for five minutes and has another token.
 * @throws ServiceError `memberFactorMissing`, `secondFactorInvalid`, `signInLocked`, `sessionInvalid`.
 */
export async function confirmSecondFactor(
  deps: MemberDeps,
  holder: SessionHolder,
  code: string,
  request: MemberRequest,
): Promise<RenewedSession> {
  const { accountId, memberId, userId, sessionId } = holder;
  assertRight(await checkMemberCode(deps, { userId, code, sender: sessionId }, request), request.nowMs);
  return deps.store.transaction(async (tx) => {
    const session = await renewSession(tx, holder, request.nowMs);
    const action = 'session.confirm_second_factor';
    await auditMember(tx, { accountId, memberId, action, subject: sessionId }, request);
    return session;
  });
}

/**
 * Checks the code that comes with the right password of a login.
 * @returns true when it was right, false for a login without a second factor.
 * @throws ServiceError `secondFactorRequired`, `secondFactorInvalid`, `signInLocked`.
 */
export async function checkSignInCode(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  { userId, code }: { readonly userId: string; readonly code: string | undefined },
  request: MemberRequest,
): Promise<boolean> {
  if ((await readMemberFactor(deps.store.db, userId)) === undefined) return false;
  if (code === undefined) throw serviceError('secondFactorRequired');
  // Each address has its own: wrong codes from elsewhere lock no one here before they lock the login.
  const sender = `sign-in at ${networkOf(request.address ?? '?')}`;
  assertRight(await checkMemberCode(deps, { userId, code, sender }, request), request.nowMs);
  return true;
}

/** @throws ServiceError `memberFactorMissing`, `secondFactorInvalid`, `signInLocked` unless a code was right. */
export function assertRight(finding: TwoFactorFinding, nowMs: number): void {
  switch (finding.kind) {
    case 'ok':
      return;
    case 'invalid':
      throw serviceError('secondFactorInvalid');
    case 'locked':
      throw lockedSignIn(finding.retryAtMs, nowMs);
    case 'notEnrolled':
      throw serviceError('memberFactorMissing');
  }
}

/**
 * Begins to enrol a second factor, which is active once its first code is confirmed, within 15 minutes. An existing factor stays until
 * then. The password is required, so that a stolen session cannot get a factor of its own.
 * @throws ServiceError `passwordWrong`, `signInLocked`, `sessionInvalid`; `freshFactorRequired` when the login has a second factor already.
 */
export async function beginMemberFactor(
  deps: MemberDeps,
  holder: SessionHolder,
  password: string,
  request: MemberRequest,
): Promise<ShownSecret> {
  const { store, installationKey } = deps;
  const { userId } = holder;
  if ((await readMemberFactor(store.db, userId)) !== undefined) assertFresh(holder, request.nowMs);
  const [login] = await store.db.select({ email: logins.email }).from(logins).where(eq(logins.id, userId));
  const email = login?.email ?? '';
  const checked = await checkPassword(
    deps,
    { accountId: holder.accountId, userId, email, password },
    request,
  );
  if (checked === undefined) throw serviceError('passwordWrong');
  const secret = randomBytes(SECRET_BYTES);
  const draft = {
    sealedSecret: sealSecret(installationKey, userId, secret),
    createdAt: new Date(request.nowMs),
  };
  await store.transaction(async (tx) => {
    await lockFactorOf(tx, userId);
    await assertUnchanged(tx, checked, 'passwordWrong');
    await assertLive(tx, holder);
    // The login may have got one while the password was checked.
    if ((await readMemberFactor(tx, userId)) !== undefined) assertFresh(holder, request.nowMs);
    await tx
      .insert(memberFactorDrafts)
      .values({ userId, ...draft })
      .onConflictDoUpdate({ target: memberFactorDrafts.userId, set: draft });
  });
  const shown = showSecret(secret, email);
  secret.fill(0);
  return shown;
}

/**
 * Enrols the second factor that was begun, by its first code, and creates backup codes. The session is fresh and has another token.
 * @returns the backup codes, which are shown once.
 * @throws ServiceError `factorEnrolmentMissing`, `secondFactorInvalid`, `signInLocked`, `sessionInvalid`.
 */
export async function confirmMemberFactor(
  deps: MemberDeps,
  holder: SessionHolder,
  code: string,
  request: MemberRequest,
): Promise<{ readonly backupCodes: readonly string[]; readonly session: RenewedSession }> {
  const { store, installationKey } = deps;
  const { userId } = holder;
  const { nowMs, address } = request;
  const attempt = { email: `enrolment of ${userId}`, address };
  await countAttempt(deps, attempt, nowMs);
  return store.transaction(async (tx) => {
    await lockFactorOf(tx, userId);
    const isOwn = eq(memberFactorDrafts.userId, userId);
    const isRecent = gt(memberFactorDrafts.createdAt, new Date(nowMs - DRAFT_MS));
    const [draft] = await tx.select().from(memberFactorDrafts).where(and(isOwn, isRecent)).for('update');
    if (draft === undefined) throw serviceError('factorEnrolmentMissing');
    const { sealedSecret } = draft;
    const lastStep = findStep(openSecret(installationKey, userId, sealedSecret), code, nowMs);
    if (lastStep === undefined) throw serviceError('secondFactorInvalid');
    const fresh = { failures: 0, failingSince: null, lockedUntil: null, guesses: '{}' };
    const factor = { sealedSecret, lastStep, enrolledAt: new Date(nowMs), ...fresh };
    await tx.delete(memberFactorDrafts).where(isOwn);
    await tx
      .insert(memberFactors)
      .values({ userId, ...factor })
      .onConflictDoUpdate({ target: memberFactors.userId, set: factor });
    const backupCodes = await replaceBackupCodes(tx, installationKey, userId);
    const session = await renewSession(tx, holder, nowMs);
    await takeBackAttempt(deps, attempt, tx);
    await auditLogin(tx, { userId, action: 'member.enrol_second_factor' }, request);
    return { backupCodes, session };
  });
}

/** Lets one transaction at a time draft or enrol the second factor of a login. */
async function lockFactorOf(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.select({ id: logins.id }).from(logins).where(eq(logins.id, userId)).for('no key update');
}

/**
 * Replaces the backup codes. @returns the new ones, which are shown once.
 * @throws ServiceError `freshFactorRequired`.
 */
export async function renewBackupCodes(
  { store, installationKey }: MemberDeps,
  holder: SessionHolder,
  request: MemberRequest,
): Promise<readonly string[]> {
  assertFresh(holder, request.nowMs);
  const { userId } = holder;
  return store.transaction(async (tx) => {
    const codes = await replaceBackupCodes(tx, installationKey, userId);
    await auditLogin(tx, { userId, action: 'member.renew_backup_codes' }, request);
    return codes;
  });
}

type CodeDeps = Pick<MemberDeps, 'store' | 'installationKey'>;

const CODES = 10;
/** Crockford's base-32: no letter is taken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 50 bits; too few for a bare hash, so that what is stored is keyed. */
const DIGITS = 10;
const CODE = /^[0-9A-HJKMNP-TV-Z]{10}$/;

/** Replaces the backup codes of a login. @returns them; they are stored nowhere. */
async function replaceBackupCodes(
  tx: StoreTransaction,
  installationKey: InstallationKey,
  userId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, createCode);
  await tx.delete(backupCodes).where(eq(backupCodes.userId, userId));
  await tx
    .insert(backupCodes)
    .values(codes.map((code) => ({ userId, digest: digestCode(installationKey, userId, code) })));
  return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
}

/** Uses up a backup code. @returns true if the login has it and it was not used before. */
async function useBackupCode(
  { store, installationKey }: CodeDeps,
  { userId, code, nowMs }: { readonly userId: string; readonly code: string; readonly nowMs: number },
): Promise<boolean> {
  const plain = plainCode(code).toUpperCase();
  if (!CODE.test(plain)) return false;
  const { userId: owner, digest, usedAt } = backupCodes;
  const isSame = eq(digest, digestCode(installationKey, userId, plain));
  const used = await store.db
    .update(backupCodes)
    .set({ usedAt: new Date(nowMs) })
    .where(and(eq(owner, userId), isSame, isNull(usedAt)))
    .returning({ userId: owner });
  return used.length === 1;
}

/** The number of backup codes that a login has left. */
export async function countBackupCodes({ store }: CodeDeps, userId: string): Promise<number> {
  const [row] = await store.db
    .select({ left: count() })
    .from(backupCodes)
    .where(and(eq(backupCodes.userId, userId), isNull(backupCodes.usedAt)));
  return row?.left ?? 0;
}

function createCode(): string {
  return Array.from(randomBytes(DIGITS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

function digestCode(installationKey: InstallationKey, userId: string, code: string): Uint8Array {
  const mark = JSON.stringify([userId, code]);
  return createHmac('sha256', installationKey.derive('backup codes')).update(mark).digest();
}
