import { and, asc, eq, isNull } from '../../../store/drizzle.ts';
import { members } from '../../../store/member-tables.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { auditMember, type MemberAction } from './audit-member.ts';
import type { MemberRequest } from './member-deps.ts';

/** A change of a login: its password, its second factor or its backup codes. */
export type LoginChange = {
  readonly userId: string;
  readonly action: MemberAction;
  /** Default: the member. */
  readonly by?: 'operator' | undefined;
};

/**
 * Appends a change of a login to the audit log of each account that it is a member of. The last step of its transaction: see
 * `appendAudit`. Accounts come in the order of their ids, so that two transactions never wait for each other's chains.
 */
export async function auditLogin(
  tx: StoreTransaction,
  { userId, action, by }: LoginChange,
  request: MemberRequest,
): Promise<void> {
  const memberships = await tx
    .select({ accountId: members.accountId, memberId: members.id })
    .from(members)
    .where(and(eq(members.userId, userId), isNull(members.removedAt)))
    .orderBy(asc(members.accountId));
  for (const { accountId, memberId } of memberships) {
    const who = by === 'operator' ? { subject: memberId } : { memberId };
    await auditMember(tx, { accountId, action, ...who }, request);
  }
}
