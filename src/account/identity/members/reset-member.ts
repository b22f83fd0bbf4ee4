import { serviceError } from '../../../core/service-error.ts';
import { and, eq, isNull } from '../../../store/drizzle.ts';
import { logins, members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { auditLogin } from './audit-login.ts';
import { clearLogin } from './logins.ts';
import type { MemberRequest } from './member-deps.ts';
import { insertLink, type NewToken } from './setup-links.ts';

/**
 * For the operator: closes the login of a member who lost password or second factor. Its password, second factor, backup codes and
 * sessions are gone, in every account.
 *
 * @returns a link by which the member sets a new password, for 24 hours.
 * @throws ServiceError `memberNotFound`.
 */
export function resetMember(
  { store }: { readonly store: Pick<Store, 'transaction'> },
  { accountId, email }: { readonly accountId: string; readonly email: string },
  request: MemberRequest,
): Promise<NewToken> {
  return store.transaction(async (tx) => {
    const [member] = await tx
      .select({ userId: members.userId })
      .from(members)
      .innerJoin(logins, eq(logins.id, members.userId))
      .where(
        and(
          eq(members.accountId, accountId),
          eq(logins.email, email.toLowerCase()),
          isNull(members.removedAt),
        ),
      );
    if (member === undefined) throw serviceError('memberNotFound');
    const { userId } = member;
    await clearLogin(tx, userId, undefined, request.nowMs);
    const link = await insertLink(tx, { accountId, userId }, request.nowMs);
    await auditLogin(tx, { userId, action: 'member.reset', by: 'operator' }, request);
    return link;
  });
}
