import { randomUUID } from 'node:crypto';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { serviceError } from '../../base/service-error.ts';
import { and, eq, isNull } from '../../store/drizzle.ts';
import { loginCredentials, logins, setupLinks } from '../../store/member-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { PASSWORD_LENGTH } from './hash-password.ts';
import { readAttempt } from './known-address.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { countAttempt, forgetAttempt } from './sign-in-attempts.ts';

/** Name of the rows of `login_credentials` that hold passwords. */
const PROVIDER = 'credential';

/** @throws ServiceError `passwordUnfit` for a new password that is too short or too long. */
export function assertFit(password: string): void {
  const { minimum, limit } = PASSWORD_LENGTH;
  if (password.length < minimum || password.length > limit)
    throw serviceError('passwordUnfit', { minimum, limit });
}

/** A login whose password was right, and the hash that it was compared with. */
export type CheckedLogin = { readonly userId: string; readonly hash: string };

type SentPassword = { readonly userId: string; readonly email: string; readonly password: string };

/**
 * Returns the login if this is its password; else undefined. Wrong ones count as attempts to sign in.
 * @throws ServiceError `signInLocked`.
 */
export function checkPassword(
  deps: MemberDeps,
  sent: SentPassword,
  request: MemberRequest,
): Promise<CheckedLogin | undefined> {
  return deps.passwords.admit(() => checkAdmitted(deps, sent, request));
}

async function checkAdmitted(
  deps: MemberDeps,
  { userId, email, password }: SentPassword,
  { address, nowMs }: MemberRequest,
): Promise<CheckedLogin | undefined> {
  const attempt = await readAttempt(deps, { email, address }, nowMs);
  await countAttempt(deps, attempt, nowMs);
  const [row] = await deps.store.db
    .select({ hash: loginCredentials.password })
    .from(loginCredentials)
    .where(isPasswordOf(userId));
  const hash = row?.hash ?? undefined;
  if (hash === undefined || password.length > PASSWORD_LENGTH.limit) return undefined;
  if (!(await deps.passwords.verify({ hash, password }))) return undefined;
  await forgetAttempt(deps, attempt);
  return { userId, hash };
}

/**
 * Asserts in a transaction that the password of a login has not been replaced since it was checked, and holds up its replacement.
 * @param code of the error that is thrown else.
 */
export async function assertUnchanged(
  tx: StoreTransaction,
  { userId, hash }: CheckedLogin,
  code: 'signInFailed' | 'passwordWrong' = 'signInFailed',
): Promise<void> {
  const found = await tx
    .select({ id: loginCredentials.id })
    .from(loginCredentials)
    .where(and(isPasswordOf(userId), eq(loginCredentials.password, hash)))
    .for('update');
  if (found.length === 0) throw serviceError(code);
}

/** Adds a login with the hash of its password. @returns its id; undefined when there is a login with this email. */
export async function insertLogin(
  tx: StoreTransaction,
  { email, name, hash }: { readonly email: string; readonly name: string; readonly hash: string },
  nowMs: number,
): Promise<string | undefined> {
  const [userId, now] = [randomUUID(), new Date(nowMs)];
  const added = await tx
    .insert(logins)
    .values({ id: userId, email, name, emailVerified: false, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning({ id: logins.id });
  if (added.length === 0) return undefined;
  const credential = { id: randomUUID(), userId, accountId: userId, providerId: PROVIDER };
  await tx.insert(loginCredentials).values({ ...credential, password: hash, createdAt: now, updatedAt: now });
  return userId;
}

/** Replaces the password of a login. Links that were to replace it stop working. @param hash undefined: none opens it any more. */
export async function replacePassword(
  tx: StoreTransaction,
  userId: string,
  hash: string | undefined,
  nowMs: number,
): Promise<void> {
  await tx
    .update(loginCredentials)
    .set({ password: hash ?? null, updatedAt: new Date(nowMs) })
    .where(isPasswordOf(userId));
  await tx.delete(setupLinks).where(and(eq(setupLinks.userId, userId), isNull(setupLinks.usedAt)));
}

/** The row of `login_credentials` with the password of a login. */
export function isPasswordOf(userId: string | AnyPgColumn) {
  return and(eq(loginCredentials.userId, userId), eq(loginCredentials.providerId, PROVIDER));
}
