import { serviceError } from '../../base/service-error.ts';
import { and, asc, eq, isNull } from '../../store/drizzle.ts';
import { loginSessions, logins, memberFactors, members } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { auditMember } from './audit-member.ts';
import { withdrawInvitationsOf } from './invitations.ts';
import type { MemberRequest } from './member-deps.ts';
import { assertFresh, assertOwner, type Role, type SessionHolder } from './sessions.ts';

/** A member as it is listed. */
export type Member = {
  readonly memberId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly hasSecondFactor: boolean;
  readonly createdAt: Date;
};

type StoreOnly = { readonly store: Pick<Store, 'db' | 'transaction'> };

/** Lists the members of an account, oldest first. */
export async function listMembers({ store }: StoreOnly, accountId: string): Promise<readonly Member[]> {
  const rows = await store.db
    .select({
      ...{ memberId: members.id, email: logins.email, name: logins.name, role: members.role },
      ...{ createdAt: members.createdAt, factorOf: memberFactors.userId },
    })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .leftJoin(memberFactors, eq(memberFactors.userId, members.userId))
    .where(and(eq(members.accountId, accountId), isNull(members.removedAt)))
    .orderBy(asc(members.createdAt), asc(members.id));
  return rows.map(({ factorOf, ...row }) => ({ ...row, hasSecondFactor: factorOf !== null }));
}

/** True if any account has a member. */
export async function hasAnyMember({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const found = await db.select({ id: members.id }).from(members).where(isNull(members.removedAt)).limit(1);
  return found.length > 0;
}

/**
 * Gives a member another role, from the next request on. An owner who becomes something else takes the invitations along.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `memberNotFound`, `lastOwner`.
 */
export async function changeRole(
  { store }: StoreOnly,
  holder: SessionHolder,
  { memberId, role }: { readonly memberId: string; readonly role: Role },
  request: MemberRequest,
): Promise<void> {
  assertOwner(holder);
  assertFresh(holder, request.nowMs);
  const { accountId } = holder;
  await store.transaction(async (tx) => {
    const present = await readRole(tx, accountId, memberId);
    if (present === 'owner' && role !== 'owner') {
      await assertOtherOwner(tx, accountId);
      await withdrawInvitationsOf(tx, { accountId, memberId }, request.nowMs);
    }
    await tx.update(members).set({ role }).where(eq(members.id, memberId));
    const action = 'member.change_role';
    await auditMember(tx, { accountId, memberId: holder.memberId, action, subject: memberId }, request);
  });
}

/**
 * Removes a member; everyone may leave. The sessions and the invitations of the member stop working at once.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `memberNotFound`, `lastOwner`.
 */
export async function removeMember(
  { store }: StoreOnly,
  holder: SessionHolder,
  memberId: string,
  request: MemberRequest,
): Promise<void> {
  if (memberId !== holder.memberId) assertOwner(holder);
  assertFresh(holder, request.nowMs);
  const { accountId } = holder;
  await store.transaction(async (tx) => {
    if ((await readRole(tx, accountId, memberId)) === 'owner') await assertOtherOwner(tx, accountId);
    await tx
      .update(members)
      .set({ removedAt: new Date(request.nowMs) })
      .where(eq(members.id, memberId));
    await tx.delete(loginSessions).where(eq(loginSessions.memberId, memberId));
    await withdrawInvitationsOf(tx, { accountId, memberId }, request.nowMs);
    const action = 'member.remove';
    await auditMember(tx, { accountId, memberId: holder.memberId, action, subject: memberId }, request);
  });
}

async function readRole(tx: StoreTransaction, accountId: string, memberId: string): Promise<Role> {
  const [found] = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.id, memberId), eq(members.accountId, accountId), isNull(members.removedAt)));
  if (found === undefined) throw serviceError('memberNotFound');
  return found.role;
}

async function assertOtherOwner(tx: StoreTransaction, accountId: string): Promise<void> {
  const owners = await tx
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.accountId, accountId), eq(members.role, 'owner'), isNull(members.removedAt)));
  if (owners.length < 2) throw serviceError('lastOwner');
}
