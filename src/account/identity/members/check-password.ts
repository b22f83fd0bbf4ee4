import { randomUUID } from 'node:crypto';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { serviceError, toServiceError } from '../../../core/service-error.ts';
import { and, eq, isNull, sql, gt, isNotNull } from '../../../store/drizzle.ts';
import { loginCredentials, logins, setupLinks, loginSessions } from '../../../store/member-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { PASSWORD_LENGTH } from './hash-password.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { takeBackAttempt, type Attempt, countAttempt, hasUsedLink, networkOf } from './sign-in-attempts.ts';

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

type SentPassword = {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
};

/**
 * Returns the login of a session if this is its password; else undefined. Wrong ones count as attempts to sign in.
 * @throws ServiceError `signInLocked`.
 */
export function checkPassword(
  deps: MemberDeps,
  { accountId, userId, email, password }: SentPassword,
  { address, nowMs }: MemberRequest,
): Promise<CheckedLogin | undefined> {
  const check = async (): Promise<CheckedLogin | undefined> => {
    const sender = await countSender(deps, { email, address }, nowMs);
    const [row] = await deps.store.db
      .select({ hash: loginCredentials.password })
      .from(loginCredentials)
      .where(isPasswordOf(userId));
    const hash = sender.isFor(userId) ? (row?.hash ?? undefined) : undefined;
    if (hash === undefined || password.length > PASSWORD_LENGTH.limit) return undefined;
    if (!(await deps.passwords.compare({ password, hashes: [hash], sender: accountId })).equal.has(hash))
      return undefined;
    await takeBackAttempt(deps, sender.attempt);
    return { userId, hash };
  };
  // Whoever sends it has a session.
  return deps.passwords.admit(accountId, check, async () => true);
}

/** Hashes the new password of a login, so that it can be compared at once with those of the other logins with its email. */
export async function hashNewPassword(
  { store, passwords }: Pick<MemberDeps, 'store' | 'passwords'>,
  userId: string,
  password: string,
): Promise<string> {
  const { rows } = await store.db.execute<{ readonly hash: string }>(sql`
    select c.password as hash from logins own join logins other on other.email = own.email and other.id <> own.id
    join login_credentials c on c.user_id = other.id and c.provider_id = ${PROVIDER}
    where own.id = ${userId} and c.password is not null
      and exists (select from members m where m.user_id = other.id and m.removed_at is null)
    order by other.created_at, other.id limit 1`);
  return passwords.hash(password, rows[0]?.hash);
}

/**
 * Asserts in a transaction that the password of a login has not been replaced since it was checked, and blocks its replacement.
 * @param code of the error that is thrown otherwise.
 */
export async function assertUnchanged(
  tx: StoreTransaction,
  login: CheckedLogin,
  code: 'signInFailed' | 'passwordWrong' = 'signInFailed',
): Promise<void> {
  if (!(await isUnchanged(tx, login))) throw serviceError(code);
}

/** True if the password of a login has not been replaced since it was checked. Its replacement waits for the transaction. */
export async function isUnchanged(tx: StoreTransaction, { userId, hash }: CheckedLogin): Promise<boolean> {
  const found = await tx
    .select({ id: loginCredentials.id })
    .from(loginCredentials)
    .where(and(isPasswordOf(userId), eq(loginCredentials.password, hash)))
    .for('update');
  return found.length > 0;
}

/** Adds a login with the hash of its password. Others may have the same email. @returns its id. */
export async function insertLogin(
  tx: StoreTransaction,
  { email, name, hash }: { readonly email: string; readonly name: string; readonly hash: string },
  nowMs: number,
): Promise<string> {
  const [userId, now] = [randomUUID(), new Date(nowMs)];
  await tx.insert(logins).values({ id: userId, email, name, createdAt: now, updatedAt: now });
  const credential = { id: randomUUID(), userId, accountId: userId, providerId: PROVIDER };
  await tx.insert(loginCredentials).values({ ...credential, password: hash, createdAt: now, updatedAt: now });
  return userId;
}

/** Replaces the password of a login. Links that could replace it stop working. @param hash undefined: no password opens the login. */
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

/** The sender of a password whose attempt was counted. */
export type CountedSender = {
  readonly attempt: Attempt;
  /** False for a login that the password is not compared with. */
  readonly isFor: (userId: string) => boolean;
};

type Sender = Pick<Attempt, 'email' | 'address'>;

/**
 * Counts an attempt. If it is locked, only the logins that are known at this address are checked: those with a live session here, or
 * whose password was just set here by an emailed link. Attempts from elsewhere do not lock these logins, and their attempts cannot guess at
 * other logins.
 * @throws ServiceError `signInLocked`.
 */
export async function countSender(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  sender: Sender,
  nowMs: number,
): Promise<CountedSender> {
  try {
    await countAttempt(deps, sender, nowMs);
    return { attempt: sender, isFor: () => true };
  } catch (error) {
    if (toServiceError(error).code !== 'signInLocked') throw error;
    const hasLink = await hasUsedLink(deps, sender, nowMs);
    const known = await readKnown(deps, sender, nowMs);
    if (!hasLink && known.size === 0) throw error;
    const attempt = { ...sender, isKnown: true, isByLink: hasLink };
    await countAttempt(deps, attempt, nowMs);
    return { attempt, isFor: (userId) => hasLink || known.has(userId) };
  }
}

/** True for a sender that is known at this address: attempts from elsewhere keep it out neither by locks nor by their number. */
export async function isKnownSender(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  sender: Sender,
  nowMs: number,
): Promise<boolean> {
  return (await hasUsedLink(deps, sender, nowMs)) || (await readKnown(deps, sender, nowMs)).size > 0;
}

async function readKnown(
  deps: Pick<MemberDeps, 'store'>,
  { email, address }: Sender,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (address === undefined) return new Set();
  const network = networkOf(address);
  const { userId, memberId, expiresAt, ipAddress } = loginSessions;
  const rows = await deps.store.db
    .selectDistinct({ userId, ipAddress })
    .from(loginSessions)
    .innerJoin(logins, eq(logins.id, userId))
    .where(and(eq(logins.email, email), isNotNull(memberId), gt(expiresAt, new Date(nowMs))));
  const here = rows.filter((row) => row.ipAddress !== null && networkOf(row.ipAddress) === network);
  return new Set(here.map((row) => row.userId));
}
