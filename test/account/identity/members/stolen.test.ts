import { expect, test } from 'vitest';
import { changePassword } from '../../../../src/account/identity/members/change-password.ts';
import {
  countBackupCodes,
  beginMemberFactor,
  confirmMemberFactor,
  confirmSecondFactor,
  renewBackupCodes,
} from '../../../../src/account/identity/members/member-factor.ts';
import {
  acceptInvitation,
  invite,
  withdrawInvitation,
} from '../../../../src/account/identity/members/invitations.ts';
import { changeRole, removeMember } from '../../../../src/account/identity/members/members.ts';
import { acceptSetupLink, createSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { loginSessions, members } from '../../../../src/store/member-tables.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, MINUTE_MS, newEmail, PASSWORD, refusal, STEP_MS } from './member-world.ts';

const WRONG = 'wrong horse battery staple';
const OTHER_PASSWORD = 'a quite different passphrase';

describeStores('an attacker with a session, a link or a code', (backend) => {
  const store = backend.shared();

  test('cannot use a session that has no code yet: nothing is left of a sign-in that was refused', async () => {
    const { freshOwner, enter } = memberWorld(store());
    const { email, holder } = await freshOwner();
    expect(await refusal(enter(email))).toBe('secondFactorRequired');
    expect(await refusal(enter(email, { code: 'x' }))).toBe('secondFactorInvalid');
    const left = await store().db.select().from(loginSessions).where(eq(loginSessions.userId, holder.userId));
    expect(left.map(({ id }) => id)).toEqual([holder.sessionId]);
  });

  test('cannot fix a session: its token changes at every sign-in and when the second factor is confirmed', async () => {
    const { deps, freshOwner, enter, enrol, newOwner, holderOf } = memberWorld(store());
    const { email, codeAt, token, holder } = await freshOwner();
    const nowMs = NOW_MS + STEP_MS;
    const signedIn = await enter(email, { code: codeAt(nowMs) }, at(nowMs));
    expect(signedIn.token).not.toBe(token);
    const confirmed = await confirmSecondFactor(deps, holder, codeAt(nowMs + STEP_MS), at(nowMs));
    expect(confirmed.token).not.toBe(token);
    expect(await refusal(holderOf(token))).toBe('sessionInvalid');
    expect(await holderOf(confirmed.token)).toMatchObject({ sessionId: holder.sessionId });
    const before = (await enter((await newOwner()).email)).token;
    const after = (await enrol(before)).token;
    expect([await refusal(holderOf(before)), await refusal(holderOf(after))]).toEqual([
      'sessionInvalid',
      'none',
    ]);
  });

  test('cannot use a set-up link or an invitation again, nor one that has expired or was withdrawn', async () => {
    const { deps, freshOwner } = memberWorld(store());
    const { accountId, holder } = await freshOwner();
    const setUp = (token: string, nowMs = NOW_MS) =>
      refusal(
        acceptSetupLink(deps, { token, email: newEmail(), name: 'Eve', password: PASSWORD }, at(nowMs)),
      );
    const link = await createSetupLink(deps, accountId, at());
    expect([await setUp(link.token), await setUp(link.token)]).toEqual(['none', 'setupLinkInvalid']);
    const day = await createSetupLink(deps, accountId, at());
    expect(day.expiresAt.getTime()).toBe(NOW_MS + 24 * 60 * MINUTE_MS);
    expect(await setUp(day.token, day.expiresAt.getTime())).toBe('setupLinkInvalid');
    expect(await setUp(day.token, day.expiresAt.getTime() - 1)).toBe('none');
    const accept = (token: string, nowMs = NOW_MS) =>
      refusal(acceptInvitation(deps, { token, name: 'Eve', password: PASSWORD }, at(nowMs)));
    const send = () => invite(deps, holder, { email: newEmail(), role: 'viewer' }, at());
    const used = await send();
    expect([await accept(used.token), await accept(used.token)]).toEqual(['none', 'invitationInvalid']);
    const week = await send();
    expect(week.expiresAt.getTime()).toBe(NOW_MS + 7 * 24 * 60 * MINUTE_MS);
    expect(await accept(week.token, week.expiresAt.getTime())).toBe('invitationInvalid');
    const withdrawn = await send();
    await withdrawInvitation(deps, holder, withdrawn.invitationId, at());
    expect(await accept(withdrawn.token)).toBe('invitationInvalid');
    expect([await accept('ks_inv_x'), await setUp('ks_set_x')]).toEqual([
      'invitationInvalid',
      'setupLinkInvalid',
    ]);
  });

  test('uses a link once, however many send it at the same time', async () => {
    const { deps, newOwner } = memberWorld(store());
    const { accountId } = await newOwner();
    const { token } = await createSetupLink(deps, accountId, at());
    const sent = Array.from({ length: 4 }, () =>
      refusal(acceptSetupLink(deps, { token, email: newEmail(), name: 'Eve', password: PASSWORD }, at())),
    );
    const answers = (await Promise.all(sent)).sort();
    expect(answers).toEqual(['none', 'setupLinkInvalid', 'setupLinkInvalid', 'setupLinkInvalid']);
    expect(await store().db.select().from(members).where(eq(members.accountId, accountId))).toHaveLength(2);
  });

  test('takes over no login with a link for another account, and makes none for the email of another member', async () => {
    const { deps, newOwner, enter } = memberWorld(store());
    const [victim, other] = [await newOwner(), await newOwner()];
    const accept = async (email: string, { accountId } = other) => {
      const { token } = await createSetupLink(deps, accountId, at());
      return acceptSetupLink(deps, { token, email, name: 'Eve', password: OTHER_PASSWORD }, at());
    };
    expect(await refusal(accept(victim.email, victim))).toBe('signInFailed');
    expect(await accept(victim.email)).toMatchObject({ accountId: other.accountId });
    const eve = await enter(victim.email, { password: OTHER_PASSWORD });
    expect(eve).toMatchObject({ accountId: other.accountId });
    expect(await enter(victim.email)).toMatchObject({ accountId: victim.accountId });
  });

  test('with a stolen session does nothing that needs a fresh second factor, nor gets one of its own', async () => {
    const { deps, freshOwner, newMember, newOwner, enter, holderOf } = memberWorld(store());
    const { holder, token } = await freshOwner();
    const { memberId } = await newMember(holder, 'viewer');
    const later = holder.freshFactorUntilMs;
    const stolen = await holderOf(token, later);
    const request = () => at(later);
    const attempts = [
      invite(deps, stolen, { email: newEmail(), role: 'owner' }, request()),
      changeRole(deps, stolen, { memberId, role: 'owner' }, request()),
      removeMember(deps, stolen, memberId, request()),
      renewBackupCodes(deps, stolen, request()),
      beginMemberFactor(deps, stolen, PASSWORD, request()),
      changePassword(deps, stolen, { present: PASSWORD, next: OTHER_PASSWORD }, request()),
    ];
    const answers = await Promise.all(attempts.map(refusal));
    expect(answers).toEqual(attempts.map(() => 'freshFactorRequired'));
    expect(
      await refusal(
        invite(
          deps,
          { ...stolen, freshFactorUntilMs: later + 1 },
          { email: newEmail(), role: 'viewer' },
          request(),
        ),
      ),
    ).toBe('none');
    const without = await holderOf((await enter((await newOwner()).email)).token);
    expect(await refusal(beginMemberFactor(deps, without, WRONG, at()))).toBe('passwordWrong');
    expect(await refusal(invite(deps, without, { email: newEmail(), role: 'owner' }, at()))).toBe(
      'freshFactorRequired',
    );
    expect(await refusal(confirmMemberFactor(deps, without, '000000', at()))).toBe('factorEnrolmentMissing');
    expect(await refusal(confirmSecondFactor(deps, without, '000000', at()))).toBe('memberFactorMissing');
  });

  test('cannot guess the first code of an enrolment that a member has begun', async () => {
    const { deps, newOwner, enter, holderOf } = memberWorld(store());
    const holder = await holderOf((await enter((await newOwner()).email)).token);
    await beginMemberFactor(deps, holder, PASSWORD, at());
    const answers = [];
    for (let sent = 0; sent < 6; sent += 1)
      answers.push(await refusal(confirmMemberFactor(deps, holder, 'wrong', at(NOW_MS, '192.0.2.6'))));
    expect(answers).toEqual([...answers.slice(0, 5).map(() => 'secondFactorInvalid'), 'signInLocked']);
  });

  test('a removed member is refused with the next request, and the invitations made before are void', async () => {
    const { deps, freshOwner, newMember, enter, enrol, holderOf } = memberWorld(store());
    const { holder } = await freshOwner();
    const removed = await newMember(holder, 'owner');
    const { token } = await enrol((await enter(removed.email)).token);
    const left = await invite(deps, await holderOf(token), { email: newEmail(), role: 'owner' }, at());
    await removeMember(deps, holder, removed.memberId, at());
    expect(await refusal(holderOf(token))).toBe('sessionInvalid');
    const accepted = acceptInvitation(deps, { token: left.token, name: 'Eve', password: PASSWORD }, at());
    expect(await refusal(accepted)).toBe('invitationInvalid');
  });

  test('uses a backup code once, however many send it at the same time', async () => {
    const { deps, freshOwner, enter } = memberWorld(store());
    const { email, backupCodes, holder } = await freshOwner();
    const [code = ''] = backupCodes;
    const sent = await Promise.all(Array.from({ length: 3 }, () => refusal(enter(email, { code }))));
    expect(sent.sort()).toEqual(['none', 'secondFactorInvalid', 'secondFactorInvalid']);
    expect(await refusal(enter(email, { code }))).toBe('secondFactorInvalid');
    expect(await countBackupCodes(deps, holder.userId)).toBe(9);
  });
});
