import { serviceError } from '../../../core/service-error.ts';
import { and, eq, isNull } from '../../../store/drizzle.ts';
import { loginSessions, members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { createKeyText } from '../api-keys/key-text.ts';
import { auditMember } from './audit-member.ts';
import { digestToken, type SessionHolder } from './sessions.ts';
import type { MemberRequest } from './member-deps.ts';

/**
 * Continues a session in another account of its login, with another token.
 * @param accountId as the store prints ids.
 * @throws ServiceError `accountNotJoined`, `sessionInvalid`.
 */
export function switchAccount(
  { store }: { readonly store: Pick<Store, 'transaction'> },
  { userId, sessionId }: SessionHolder,
  accountId: string,
  request: MemberRequest,
): Promise<string> {
  return store.transaction(async (tx) => {
    const [member] = await tx
      .select({ memberId: members.id })
      .from(members)
      .where(and(eq(members.userId, userId), eq(members.accountId, accountId), isNull(members.removedAt)));
    if (member === undefined) throw serviceError('accountNotJoined');
    const token = createKeyText('ks_ses_');
    const { memberId } = member;
    const moved = await tx
      .update(loginSessions)
      .set({ token: digestToken(token), memberId, updatedAt: new Date(request.nowMs) })
      .where(eq(loginSessions.id, sessionId))
      .returning({ id: loginSessions.id });
    if (moved.length === 0) throw serviceError('sessionInvalid');
    const change = { accountId, memberId, action: 'session.switch_account', subject: sessionId } as const;
    await auditMember(tx, change, request);
    return token;
  });
}
