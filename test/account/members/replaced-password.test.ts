import { expect, test } from 'vitest';
import { createAuth } from '../../../src/account/members/auth.ts';
import { changePassword } from '../../../src/account/members/change-password.ts';

import { beginMemberFactor } from '../../../src/account/members/member-factor.ts';
import { resetMember } from '../../../src/account/members/reset-member.ts';
import { endOtherSessions } from '../../../src/account/members/sessions.ts';
import { type SignInDeps, signIn } from '../../../src/account/members/sign-in.ts';
import { eq } from '../../../src/store/drizzle.ts';
import { loginSessions, memberFactorDrafts } from '../../../src/store/member-tables.ts';
import { describeStores } from '../../store/backends.ts';
import { at, memberWorld, PASSWORD, refusal } from './member-world.ts';

const NEXT = 'a quite different passphrase';

/** The parts of a server in which something else is done right after a password was found right, and before one is hashed. */
function withMeanwhile(deps: SignInDeps, meanwhile: () => Promise<unknown>): SignInDeps {
  const passwords: SignInDeps['passwords'] = {
    ...deps.passwords,
    hash: async (password) => {
      await meanwhile();
      return deps.passwords.hash(password);
    },
    verify: async (sent) => {
      const isRight = await deps.passwords.verify(sent);
      await meanwhile();
      return isRight;
    },
  };
  return { ...deps, passwords, auth: createAuth({ ...deps, passwords }) };
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

  test('gets no session that was ended before it was opened', async () => {
    const { deps, newOwner, enter, holderOf } = memberWorld(store());
    const { email } = await newOwner();
    const owner = await holderOf((await enter(email)).token);
    const startSession: SignInDeps['auth']['startSession'] = async (sent) => {
      const token = await deps.auth.startSession(sent);
      await endOtherSessions(deps, owner, at());
      return token;
    };
    const thief = signIn({ ...deps, auth: { startSession } }, { email, password: PASSWORD }, at());
    expect(await refusal(thief)).toBe('signInFailed');
  });

  test('cannot replace the new one, nor with a session that has ended', async () => {
    const { deps, newOwner, enter, holderOf } = memberWorld(store());
    const change = async (email: string, meanwhile: () => Promise<unknown>) => {
      const thief = await holderOf((await enter(email)).token);
      const once = withMeanwhile(deps, meanwhile);
      const slow = { ...once, passwords: { ...once.passwords, verify: deps.passwords.verify } };
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

  test('cannot begin a second factor beside the one that the owner enrolled meanwhile', async () => {
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
