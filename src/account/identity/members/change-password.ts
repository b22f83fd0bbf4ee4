import { serviceError } from '../../../core/service-error.ts';
import { eq } from '../../../store/drizzle.ts';
import { logins } from '../../../store/member-tables.ts';
import { auditLogin } from './audit-login.ts';
import {
  assertFit,
  assertUnchanged,
  checkPassword,
  hashNewPassword,
  replacePassword,
} from './check-password.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { readMemberFactor } from './member-factor.ts';
import { assertFresh, assertLive, deleteOtherSessions, type SessionHolder } from './sessions.ts';

/**
 * Changes the password of the holder's login, and ends its other sessions, in every account. Nothing changes if the password was replaced,
 * or the session ended, while the new one was hashed.
 * @throws ServiceError `passwordUnfit`, `passwordWrong`, `signInLocked`, `sessionInvalid`; `freshFactorRequired` when the login has a
 *   second factor.
 */
export async function changePassword(
  deps: MemberDeps,
  holder: SessionHolder,
  { present, next }: { readonly present: string; readonly next: string },
  request: MemberRequest,
): Promise<void> {
  const { store } = deps;
  const { userId } = holder;
  if ((await readMemberFactor(store.db, userId)) !== undefined) assertFresh(holder, request.nowMs);
  assertFit(next);
  const [login] = await store.db.select({ email: logins.email }).from(logins).where(eq(logins.id, userId));
  const sent = { accountId: holder.accountId, userId, email: login?.email ?? '', password: present };
  const checked = await checkPassword(deps, sent, request);
  if (checked === undefined) throw serviceError('passwordWrong');
  const hash = await hashNewPassword(deps, userId, next);
  await store.transaction(async (tx) => {
    await assertUnchanged(tx, checked, 'passwordWrong');
    await assertLive(tx, holder);
    await replacePassword(tx, userId, hash, request.nowMs);
    await deleteOtherSessions(tx, holder);
    await auditLogin(tx, { userId, action: 'member.change_password' }, request);
  });
}
