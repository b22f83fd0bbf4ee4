import { randomUUID } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { and, eq, gt, isNull } from '../../../store/drizzle.ts';
import { loginSessions, logins, members, setupLinks } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { createKeyText } from '../api-keys/key-text.ts';
import { digestKey } from '../api-keys/keyring.ts';
import { auditLogin } from './audit-login.ts';
import { auditMember, type MemberAction } from './audit-member.ts';
import { lockAccount } from '../../accounts/find-account.ts';
import { assertFit, hashNewPassword, replacePassword } from './check-password.ts';
import { enterLogin, findMemberOf, type NewMember, prepareLogin, readEmail } from './logins.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import type { Role } from './sessions.ts';
import { forgetEmail } from './sign-in-attempts.ts';

/** A token that works once. It is stored nowhere. */
export type NewToken = { readonly token: string; readonly expiresAt: Date };

/** A membership that was accepted. Signing in is another step. */
export type Accepted = {
  readonly memberId: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
};

/** Lifetime of a link. */
export const LINK_MS = 24 * 3_600_000;

/** Creates a link that makes its user an owner of an account, for 24 hours. Links of the account that were made before stop working. */
export function createSetupLink(
  { store }: { readonly store: Pick<Store, 'transaction'> },
  accountId: string,
  request: MemberRequest,
): Promise<NewToken> {
  return store.transaction(async (tx) => {
    const link = await insertLink(tx, { accountId, userId: null }, request.nowMs);
    await auditMember(tx, { accountId, action: 'setup_link.create' }, request);
    return link;
  });
}

/**
 * Adds a link that replaces those for the same account and login.
 * @param userId the login whose password it sets; null: it makes an owner.
 */
export async function insertLink(
  tx: StoreTransaction,
  { accountId, userId }: { readonly accountId: string; readonly userId: string | null },
  nowMs: number,
): Promise<NewToken> {
  const token = createKeyText('ks_set_');
  const expiresAt = new Date(nowMs + LINK_MS);
  const isOfLogin = userId === null ? isNull(setupLinks.userId) : eq(setupLinks.userId, userId);
  await tx
    .delete(setupLinks)
    .where(and(eq(setupLinks.accountId, accountId), isOfLogin, isNull(setupLinks.usedAt)));
  await tx.insert(setupLinks).values({
    id: randomUUID(),
    accountId,
    userId,
    digest: digestKey(token),
    createdAt: new Date(nowMs),
    expiresAt,
  });
  return { token, expiresAt };
}

/**
 * Accepts a set-up link: makes a login, or takes the one that has this email and password, and makes it an owner. A link of `resetMember`
 * sets the password of its login instead.
 *
 * @throws ServiceError `setupLinkInvalid`, `emailInvalid`, `passwordUnfit`, `nameUnfit`, `secondFactorRequired`, `secondFactorInvalid`,
 * `signInLocked`; `signInFailed` for another password than that of the account's member with this email.
 */
export async function acceptSetupLink(
  deps: MemberDeps,
  { token, ...person }: NewMember & { readonly token: string },
  request: MemberRequest,
): Promise<Accepted> {
  const { store } = deps;
  const link = await findLink(store, token, request.nowMs);
  if (link === undefined) throw serviceError('setupLinkInvalid');
  const email = readEmail(person.email);
  const { accountId, userId: ofLogin } = link;
  if (ofLogin !== null) {
    const { password } = person;
    return acceptReset(deps, { token, ofLogin, email, password, action: 'setup_link.accept' }, request);
  }
  const prepared = await prepareLogin(deps, { ...person, email, accountId }, request);
  return store.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await useLink(tx, token, request.nowMs);
    const present = await findMemberOf(tx, accountId, email);
    const userId = await enterLogin(tx, deps, prepared, request.nowMs);
    if (present !== undefined && present !== userId) throw serviceError('signInFailed');
    const createdAt = new Date(request.nowMs);
    const [owner] = await tx
      .insert(members)
      .values({ id: randomUUID(), accountId, userId, role: 'owner', createdAt })
      .onConflictDoUpdate({
        target: [members.accountId, members.userId],
        targetWhere: isNull(members.removedAt),
        set: { role: 'owner' },
      })
      .returning({ memberId: members.id });
    if (owner === undefined) throw new Error('the inserted row was not returned');
    const { memberId } = owner;
    await auditMember(tx, { accountId, memberId, action: 'setup_link.accept' }, request);
    return { memberId, accountId, email, role: 'owner' };
  });
}

/** The link with this token, if it works; it is not used up. */
export async function findLink({ db }: Pick<Store, 'db'>, token: string, nowMs: number) {
  const [link] = await db.select().from(setupLinks).where(isLive(token, nowMs));
  return link;
}

type Reset = {
  readonly token: string;
  /** The login that the link is for. */
  readonly ofLogin: string;
  readonly password: string;
  /** The email that the login must have; any by default. */
  readonly email?: string | undefined;
  readonly action: MemberAction;
};

/** Sets the password of the login that a link is for, ends its sessions and lifts the locks of its email. @throws ServiceError `passwordUnfit`, `setupLinkInvalid`. */
export async function acceptReset(
  deps: MemberDeps,
  { token, ofLogin, email, password, action }: Reset,
  request: MemberRequest,
): Promise<Accepted> {
  assertFit(password);
  const hash = await hashNewPassword(deps, ofLogin, password);
  return deps.store.transaction(async (tx) => {
    const { accountId, userId } = await useLink(tx, token, request.nowMs);
    if (userId === null) throw serviceError('setupLinkInvalid');
    const [member] = await tx
      .select({ memberId: members.id, role: members.role, email: logins.email })
      .from(members)
      .innerJoin(logins, eq(logins.id, members.userId))
      .where(
        and(
          ...[eq(members.accountId, accountId), eq(members.userId, userId), isNull(members.removedAt)],
          email === undefined ? undefined : eq(logins.email, email),
        ),
      );
    if (member === undefined) throw serviceError('setupLinkInvalid');
    await replacePassword(tx, userId, hash, request.nowMs);
    await tx.delete(loginSessions).where(eq(loginSessions.userId, userId));
    await forgetEmail(tx, deps, { email: member.email, address: request.address }, request.nowMs);
    await auditLogin(tx, { userId, action }, request);
    return { ...member, accountId };
  });
}

async function useLink(tx: StoreTransaction, token: string, nowMs: number) {
  const [link] = await tx
    .update(setupLinks)
    .set({ usedAt: new Date(nowMs) })
    .where(isLive(token, nowMs))
    .returning();
  if (link === undefined) throw serviceError('setupLinkInvalid');
  return link;
}

function isLive(token: string, nowMs: number) {
  const { digest, usedAt, expiresAt } = setupLinks;
  return and(eq(digest, digestKey(token)), isNull(usedAt), gt(expiresAt, new Date(nowMs)));
}
