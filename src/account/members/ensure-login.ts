import { serviceError } from '../../base/service-error.ts';
import { and, eq, isNull } from '../../store/drizzle.ts';
import {
  backupCodes,
  loginSessions,
  logins,
  memberFactorDrafts,
  memberFactors,
  members,
} from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import {
  assertFit,
  type CheckedLogin,
  checkPassword,
  insertLogin,
  replacePassword,
} from './check-password.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';

/** A person who accepts an invitation or a set-up link. */
export type NewMember = { readonly email: string; readonly name: string; readonly password: string };

/** As Better Auth takes it (zod's `email`), at most as long as SMTP allows (RFC 5321 section 4.5.3.1.3). */
const EMAIL = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
const MAX_EMAIL = 254;

/** Returns an email in lower case. @throws ServiceError `emailInvalid`. */
export function readEmail(text: string): string {
  if (text.length > MAX_EMAIL || !EMAIL.test(text)) throw serviceError('emailInvalid');
  return text.toLowerCase();
}

/**
 * Returns the login of a person who accepts: a new one with the password, or the one with this email, if the password is its own. A login
 * that is a member of no account gives access to nothing, and gets the name and the password; what it had besides is deleted.
 *
 * @param email in lower case.
 * @throws ServiceError `passwordUnfit`, `nameUnfit`; `signInFailed` for another password than that of a login that is a member; `signInLocked`.
 */
export async function ensureLogin(
  deps: MemberDeps,
  { email, name, password }: NewMember,
  request: MemberRequest,
): Promise<CheckedLogin> {
  const { store } = deps;
  // For a known email too: what is refused here says nothing of the login.
  assertFit(password);
  if (!NAME.test(name)) throw serviceError('nameUnfit', { limit: MAX_NAME });
  const known = await findLogin(store, email);
  if (known === undefined || !(await hasMembership(store.db, known))) {
    const hash = await deps.passwords.hash(password);
    const userId = await store.transaction((tx) =>
      known === undefined
        ? insertLogin(tx, { email, name, hash }, request.nowMs)
        : takeOver(tx, { userId: known, name, hash }, request.nowMs),
    );
    if (userId !== undefined) return { userId, hash };
  }
  const userId = known ?? (await findLogin(store, email));
  if (userId === undefined) throw serviceError('signInFailed');
  const checked = await checkPassword(deps, { userId, email, password }, request);
  if (checked === undefined) throw serviceError('signInFailed');
  return checked;
}

/** Printable, since operators see it on terminals: no control or format characters, no line or paragraph separators. */
const NAME = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]{1,100}$/u;
const MAX_NAME = 100;

/** The id of the login with this email. */
async function findLogin({ db }: Pick<Store, 'db'>, email: string): Promise<string | undefined> {
  const [row] = await db.select({ userId: logins.id }).from(logins).where(eq(logins.email, email));
  return row?.userId;
}

async function hasMembership(db: Pick<Store['db'], 'select'>, userId: string): Promise<boolean> {
  const found = await db
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.userId, userId), isNull(members.removedAt)))
    .limit(1);
  return found.length > 0;
}

/** Gives a login to another person. @returns its id; undefined when it has become a member meanwhile. */
async function takeOver(
  tx: StoreTransaction,
  { userId, name, hash }: { readonly userId: string; readonly name: string; readonly hash: string },
  nowMs: number,
): Promise<string | undefined> {
  await tx.select({ id: logins.id }).from(logins).where(eq(logins.id, userId)).for('update');
  if (await hasMembership(tx, userId)) return undefined;
  await tx.update(logins).set({ name }).where(eq(logins.id, userId));
  await clearLogin(tx, userId, hash, nowMs);
  return userId;
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
