import { expect, test } from 'vitest';
import { changePassword } from '../../../../src/account/identity/members/change-password.ts';

import { beginMemberFactor } from '../../../../src/account/identity/members/member-factor.ts';
import { resetMember } from '../../../../src/account/identity/members/reset-member.ts';
import { endOtherSessions } from '../../../../src/account/identity/members/sessions.ts';
import { type SignInDeps, signIn } from '../../../../src/account/identity/members/sign-in.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { loginSessions, memberFactorDrafts } from '../../../../src/store/member-tables.ts';
import { describeStores } from '../../../store/backends.ts';
import { at, memberWorld, PASSWORD, refusal } from './member-world.ts';

const NEXT = 'a quite different passphrase';

/** The parts of a server in which something else is done right after a password was found right, and before one is hashed. */
function withMeanwhile(deps: SignInDeps, meanwhile: () => Promise<unknown>): SignInDeps {
  const passwords: SignInDeps['passwords'] = {
    ...deps.passwords,
    hash: async (...sent) => {
      await meanwhile();
      return deps.passwords.hash(...sent);
    },
    compare: async (sent) => {
      const compared = await deps.passwords.compare(sent);
      await meanwhile();
      return compared;
    },
  };
  return { ...deps, passwords };
}

describeStores('a thief whose password was replaced while it was checked', (backend) => {
  const store = backend.shared();

  test('gets no session', async () => {
    const { deps, newOwner, enter, holderOf } = memberWorld(store());
    const { accountId, email } = await newOwner();
    const { userId } = await holderOf((await enter(email)).token);
    const slow = withMeanwhile(deps, () => resetMember(deps, { accountId, email }, at()));
    expect(await refusal(signIn(slow, { email, password: PASSWORD }, at()))).toBe('signInFailed');
    const left = await store().db.select().from(loginSessions).where(eq(loginSessions.userId, userId));
    expect(left).toEqual([]);
  });

  test('cannot replace the new one, nor with a session that has ended', async () => {
    const { deps, newOwner, enter, holderOf } = memberWorld(store());
    const change = async (email: string, meanwhile: () => Promise<unknown>) => {
      const thief = await holderOf((await enter(email)).token);
      const once = withMeanwhile(deps, meanwhile);
      const slow = { ...once, passwords: { ...once.passwords, compare: deps.passwords.compare } };
      return refusal(changePassword(slow, thief, { present: PASSWORD, next: NEXT }, at()));
    };
    const { accountId, email } = await newOwner();
    expect(await change(email, () => resetMember(deps, { accountId, email }, at()))).toBe('passwordWrong');
    expect(await refusal(enter(email, { password: NEXT }))).toBe('signInFailed');
    const other = await newOwner();
    const owner = await holderOf((await enter(other.email)).token);
    expect(await change(other.email, () => endOtherSessions(deps, owner, at()))).toBe('sessionInvalid');
    expect(await refusal(enter(other.email))).toBe('none');
  });

  test('cannot begin a second factor next to the one that the owner enrolled meanwhile', async () => {
    const { deps, newOwner, enter, holderOf, enrol } = memberWorld(store());
    const { email } = await newOwner();
    const owner = await enter(email);
    const thief = await holderOf((await enter(email)).token);
    const slow = withMeanwhile(deps, () => enrol(owner.token));
    expect(await refusal(beginMemberFactor(slow, thief, PASSWORD, at()))).toBe('freshFactorRequired');
    const drafts = await store()
      .db.select()
      .from(memberFactorDrafts)
      .where(eq(memberFactorDrafts.userId, thief.userId));
    expect(drafts).toEqual([]);
  });
});
