import { serviceError } from '../../base/service-error.ts';
import { eq } from '../../store/drizzle.ts';
import { logins } from '../../store/member-tables.ts';
import { auditMember } from './audit-member.ts';
import { assertFit, checkPassword, replacePassword } from './check-password.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { readMemberFactor } from './member-factor.ts';
import { assertFresh, deleteOtherSessions, type SessionHolder } from './sessions.ts';

/**
 * Changes the password of the holder's login, and ends its other sessions, in every account.
 * @throws ServiceError `passwordUnfit`, `passwordWrong`, `signInLocked`; `freshFactorRequired` when the login has a second factor.
 */
export async function changePassword(
  deps: MemberDeps,
  holder: SessionHolder,
  { present, next }: { readonly present: string; readonly next: string },
  request: MemberRequest,
): Promise<void> {
  const { store, passwords } = deps;
  const { accountId, memberId, userId } = holder;
  if ((await readMemberFactor(store.db, userId)) !== undefined) assertFresh(holder, request.nowMs);
  assertFit(next);
  const [login] = await store.db.select({ email: logins.email }).from(logins).where(eq(logins.id, userId));
  const sent = { userId, email: login?.email ?? '', password: present };
  if ((await checkPassword(deps, sent, request)) === undefined) throw serviceError('passwordWrong');
  const hash = await passwords.hash(next);
  await store.transaction(async (tx) => {
    await replacePassword(tx, userId, hash, request.nowMs);
    await deleteOtherSessions(tx, holder);
    await auditMember(tx, { accountId, memberId, action: 'member.change_password' }, request);
  });
}
