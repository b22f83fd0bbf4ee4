import { isPrintable } from '../../../../runtime/printable.ts';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, eq, isNull } from '../../../store/drizzle.ts';
import {
  backupCodes,
  loginCredentials,
  loginSessions,
  logins,
  memberFactorDrafts,
  memberFactors,
  members,
} from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import {
  assertFit,
  type CheckedLogin,
  insertLogin,
  isPasswordOf,
  isUnchanged,
  replacePassword,
  countSender,
  type CountedSender,
} from './check-password.ts';
import { PASSWORD_LENGTH } from './hash-password.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { checkSignInCode } from './member-factor.ts';
import type { Role } from './sessions.ts';
import { siteOf, takeBackAttempt } from './sign-in-attempts.ts';

// An email is a name that anyone can give a login: several logins may have the same one, and the password identifies the login. Creating a
// login with someone else's email keeps no one out, and reveals nothing. See docs/decisions/0118-logins-of-one-email.md.

/** A login as a member of an account. */
export type Membership = {
  readonly userId: string;
  readonly memberId: string;
  readonly accountId: string;
  readonly role: Role;
  /** Hash of the password; null: no password opens the login. */
  readonly hash: string | null;
};

/** A person who accepts an invitation or a set-up link. */
export type NewMember = {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  /** Of the second factor of the login that has this password, or a backup code. */
  readonly code?: string | undefined;
};

/** As zod's `email`, at most as long as SMTP allows (RFC 5321 section 4.5.3.1.3). */
const EMAIL = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
const MAX_EMAIL = 254;

/** Returns an email in lower case. @throws ServiceError `emailInvalid`. */
export function readEmail(text: string): string {
  if (text.length > MAX_EMAIL || !EMAIL.test(text)) throw serviceError('emailInvalid');
  return text.toLowerCase();
}

const MAX_NAME = 100;

/** Returns the memberships of the logins with this email, oldest first. @param email in lower case. */
export function findMemberships({ db }: Pick<Store, 'db'>, email: string): Promise<readonly Membership[]> {
  return db
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

type SentLogin = {
  readonly password: string;
  readonly sender: CountedSender;
  readonly address: string | undefined;
};

/** Compares a password with those of logins, which takes as long for none as for many. @returns the memberships of those that have it. */
export async function comparePassword(
  { passwords }: Pick<MemberDeps, 'passwords'>,
  memberships: readonly Membership[],
  { password, sender, address }: SentLogin,
) {
  const hashes = [...new Set(memberships.flatMap(({ hash }) => hash ?? []))];
  const { limit } = PASSWORD_LENGTH;
  const { equal, hash } = await passwords.compare({
    password: password.slice(0, limit),
    hashes,
    sender: siteOf(address),
  });
  const matching = memberships.flatMap((one) => {
    const isMeant = one.hash !== null && equal.has(one.hash) && sender.isFor(one.userId);
    return isMeant && password.length <= limit ? [{ ...one, hash: one.hash }] : [];
  });
  return { matching, hash };
}

/** The login of a person who accepts: an existing one, or one that `enterLogin` creates. */
export type PreparedLogin =
  | { readonly kind: 'known'; readonly login: CheckedLogin; readonly email: string; readonly name: string }
  | {
      readonly kind: 'new';
      readonly hash: string;
      readonly email: string;
      readonly name: string;
      readonly sender: CountedSender;
    };

/**
 * Finds the login of a person who accepts: the one with this email, password and, if it has a second factor, code; else a new one. Nothing
 * shows whether the email has other logins.
 *
 * @param accountId a login that is a member of this account goes before others.
 * @throws ServiceError `passwordUnfit`, `nameUnfit`, `signInLocked`; `secondFactorRequired` and `secondFactorInvalid` if the password is
 *   that of a login.
 */
export async function prepareLogin(
  deps: MemberDeps,
  { accountId, name, password, code, email }: NewMember & { readonly accountId: string },
  request: MemberRequest,
): Promise<PreparedLogin> {
  assertFit(password);
  if (!isPrintable(name, MAX_NAME)) throw serviceError('nameUnfit', { limit: MAX_NAME });
  const sender = await countSender(deps, { email, address: request.address }, request.nowMs);
  const memberships = await findMemberships(deps.store, email);
  const { matching, hash } = await comparePassword(deps, memberships, {
    password,
    sender,
    address: request.address,
  });
  const match = matching.find((one) => one.accountId === accountId) ?? matching[0];
  if (match === undefined) return { kind: 'new', hash: await hash(), email, name, sender };
  await takeBackAttempt(deps, sender.attempt);
  await checkSignInCode(deps, { userId: match.userId, code }, request);
  return { kind: 'known', login: { userId: match.userId, hash: match.hash }, email, name };
}

/**
 * Returns the id of a prepared login in the transaction that makes it a member. If its password was replaced meanwhile, it belongs to
 * someone else, and a new login is created.
 */
export async function enterLogin(
  tx: StoreTransaction,
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  prepared: PreparedLogin,
  nowMs: number,
): Promise<string> {
  if (prepared.kind === 'known') {
    const { login, email, name } = prepared;
    if (await isUnchanged(tx, login)) return login.userId;
    return insertLogin(tx, { email, name, hash: login.hash }, nowMs);
  }
  await takeBackAttempt(deps, prepared.sender.attempt, tx);
  return insertLogin(tx, prepared, nowMs);
}

/** Finds the login with this email that is a member of an account, which has at most one such member. */
export async function findMemberOf(
  tx: StoreTransaction,
  accountId: string,
  email: string,
): Promise<string | undefined> {
  const [found] = await tx
    .select({ userId: members.userId })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .where(and(eq(members.accountId, accountId), eq(logins.email, email), isNull(members.removedAt)));
  return found?.userId;
}

/** Replaces the password of a login, and deletes its second factor, its backup codes and its sessions. @param hash as in `replacePassword`. */
export async function clearLogin(
  tx: StoreTransaction,
  userId: string,
  hash: string | undefined,
  nowMs: number,
): Promise<void> {
  await replacePassword(tx, userId, hash, nowMs);
  await tx.delete(memberFactors).where(eq(memberFactors.userId, userId));
  await tx.delete(memberFactorDrafts).where(eq(memberFactorDrafts.userId, userId));
  await tx.delete(backupCodes).where(eq(backupCodes.userId, userId));
  await tx.delete(loginSessions).where(eq(loginSessions.userId, userId));
}
