import { randomUUID } from 'node:crypto';
import { serviceError } from '../../base/service-error.ts';
import { and, asc, eq, isNull, lte } from '../../store/drizzle.ts';
import { logins, members, setupLinks } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { createKeyText } from '../key-text.ts';
import { digestKey } from '../keyring.ts';
import { auditMember } from './audit-member.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { acceptReset, findLink, type NewToken } from './setup-links.ts';

const RESET_MS = 3_600_000;

/** Called in the transaction that creates a link. */
export type OnLink = (tx: StoreTransaction, link: NewToken) => Promise<void>;

/**
 * Creates a link that resets the password of the login with this email, for an hour. Others stay: strangers can ask for one, and must not
 * end those that the operator made.
 *
 * @param email in lower case.
 * @returns undefined for an email without a login that is a member.
 */
export async function createResetLink(
  { store }: { readonly store: Pick<Store, 'db' | 'transaction'> },
  email: string,
  { onLink, ...request }: MemberRequest & { readonly onLink?: OnLink },
): Promise<NewToken | undefined> {
  const [member] = await store.db
    .select({ userId: members.userId, memberId: members.id, accountId: members.accountId })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .where(and(eq(logins.email, email), isNull(members.removedAt)))
    .orderBy(asc(members.createdAt), asc(members.id))
    .limit(1);
  if (member === undefined) return undefined;
  const { userId, memberId, accountId } = member;
  const token = createKeyText('ks_set_');
  const [createdAt, expiresAt] = [new Date(request.nowMs), new Date(request.nowMs + RESET_MS)];
  await store.transaction(async (tx) => {
    await tx
      .delete(setupLinks)
      .where(and(eq(setupLinks.userId, userId), lte(setupLinks.expiresAt, createdAt)));
    await tx
      .insert(setupLinks)
      .values({ id: randomUUID(), accountId, userId, digest: digestKey(token), createdAt, expiresAt });
    await onLink?.(tx, { token, expiresAt });
    await auditMember(tx, { accountId, action: 'password_reset.request', subject: memberId }, request);
  });
  return { token, expiresAt };
}

/**
 * Sets the password of the login that a link was made for, by mail or by the operator, and ends its sessions, in every account. Its
 * second factor stays.
 *
 * @throws ServiceError `setupLinkInvalid`, `passwordUnfit`.
 */
export async function resetPassword(
  deps: MemberDeps,
  sent: { readonly token: string; readonly password: string },
  request: MemberRequest,
): Promise<void> {
  const link = await findLink(deps.store, sent.token, request.nowMs);
  if (link === undefined || link.userId === null) throw serviceError('setupLinkInvalid');
  await acceptReset(deps, { ...sent, action: 'password_reset.accept' }, request);
}
