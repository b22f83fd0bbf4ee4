import { expect, test } from 'vitest';
import { withActingStore } from '../../../../src/account/setup/acting-store.ts';
import {
  acceptInvitation,
  invite,
  listInvitations,
  withdrawInvitation,
} from '../../../../src/account/identity/members/invitations.ts';
import { changeRole, listMembers, removeMember } from '../../../../src/account/identity/members/members.ts';
import { resetMember } from '../../../../src/account/identity/members/reset-member.ts';
import { endOtherSessions, type SessionHolder } from '../../../../src/account/identity/members/sessions.ts';
import { acceptSetupLink, createSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import { auditRecords } from '../../../../src/store/audit-tables.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, newEmail, PASSWORD } from './member-world.ts';

const OTHER_PASSWORD = 'a quite different passphrase';

describeStores('the members of an account', (backend) => {
  const store = backend.shared();

  test('are invited with a role, listed, changed and removed, each on record', async () => {
    const { deps, freshOwner, newMember } = memberWorld(store());
    const { accountId, memberId, email, holder } = await freshOwner();
    const member = await newMember(holder, 'viewer');
    expect(member).toMatchObject({ accountId, role: 'viewer' });
    await changeRole(deps, holder, { memberId: member.memberId, role: 'billing' }, at());
    expect(await listMembers(deps, accountId)).toMatchObject([
      { memberId, email, role: 'owner', hasSecondFactor: true },
      {
        memberId: member.memberId,
        email: member.email,
        name: 'Bob',
        role: 'billing',
        hasSecondFactor: false,
      },
    ]);
    await removeMember(deps, holder, member.memberId, at());
    expect((await listMembers(deps, accountId)).map((row) => row.memberId)).toEqual([memberId]);
    const records = await store()
      .db.select()
      .from(auditRecords)
      .where(eq(auditRecords.accountId, accountId))
      .orderBy(auditRecords.seq);
    const made = records.slice(-4).map((record) => [record.action, record.memberId, record.subject]);
    expect(made).toEqual([
      ['invitation.create', memberId, expect.any(String)],
      ['invitation.accept', member.memberId, made[0]?.[2]],
      ['member.change_role', memberId, member.memberId],
      ['member.remove', memberId, member.memberId],
    ]);
  });

  test('are managed by owners alone; others may leave', async () => {
    const { deps, freshOwner, newMember, enter, enrol, holderOf } = memberWorld(store());
    const owner = await freshOwner();
    const member = await newMember(owner.holder, 'developer');
    const { token } = await enrol((await enter(member.email)).token);
    const holder = await holderOf(token);
    const refused = { code: 'roleInsufficient', context: { role: 'owner' } };
    const wanted = { email: newEmail(), role: 'owner' } as const;
    await expect(invite(deps, holder, wanted, at())).rejects.toMatchObject(refused);
    await expect(removeMember(deps, holder, owner.memberId, at())).rejects.toMatchObject(refused);
    const own = { memberId: member.memberId, role: 'owner' } as const;
    await expect(changeRole(deps, holder, own, at())).rejects.toMatchObject(refused);
    await removeMember(deps, holder, member.memberId, at());
    await expect(holderOf(token)).rejects.toMatchObject({ code: 'sessionInvalid' });
  });

  test('keep an owner, also when two owners remove each other at once', async () => {
    const { deps, freshOwner, newMember, enter, enrol, holderOf } = memberWorld(store());
    const first = await freshOwner();
    await expect(removeMember(deps, first.holder, first.memberId, at())).rejects.toMatchObject({
      code: 'lastOwner',
    });
    const down = { memberId: first.memberId, role: 'viewer' } as const;
    await expect(changeRole(deps, first.holder, down, at())).rejects.toMatchObject({ code: 'lastOwner' });
    const second = await newMember(first.holder, 'owner');
    const holder = await holderOf((await enrol((await enter(second.email)).token)).token);
    const remove = (session: SessionHolder, memberId: string) => {
      const parts = { store: store(), members: deps };
      const actor = { kind: 'session', accountId: session.accountId, session, nowMs: NOW_MS } as const;
      return removeMember(withActingStore(parts, actor, []), session, memberId, at());
    };
    const outcomes = await Promise.allSettled([
      remove(first.holder, second.memberId),
      remove(holder, first.memberId),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await listMembers(deps, first.accountId)).toMatchObject([{ role: 'owner' }]);
  });

  test('of another account are out of reach', async () => {
    const { deps, freshOwner } = memberWorld(store());
    const [own, other] = [await freshOwner(), await freshOwner()];
    const missing = { code: 'memberNotFound' };
    await expect(removeMember(deps, own.holder, other.memberId, at())).rejects.toMatchObject(missing);
    const change = { memberId: other.memberId, role: 'viewer' } as const;
    await expect(changeRole(deps, own.holder, change, at())).rejects.toMatchObject(missing);
    const { invitationId } = await invite(deps, other.holder, { email: newEmail(), role: 'viewer' }, at());
    await expect(withdrawInvitation(deps, own.holder, invitationId, at())).rejects.toMatchObject({
      code: 'invitationNotFound',
    });
    expect(await listInvitations(deps, own.accountId, NOW_MS)).toEqual([]);
    expect(await listInvitations(deps, other.accountId, NOW_MS)).toMatchObject([{ invitationId }]);
  });

  test('are invited once: not while they are members, and a second invitation replaces the first', async () => {
    const { deps, freshOwner } = memberWorld(store());
    const { holder, email } = await freshOwner();
    const send = (wanted: string) => invite(deps, holder, { email: wanted, role: 'viewer' }, at());
    await expect(send(email.toUpperCase())).rejects.toMatchObject({ code: 'memberExists' });
    await expect(send('no email')).rejects.toMatchObject({ code: 'emailInvalid' });
    const invited = newEmail();
    const [first, second] = [await send(invited), await send(invited)];
    const accept = (token: string) =>
      acceptInvitation(deps, { token, name: 'Bob', password: PASSWORD }, at());
    await expect(accept(first.token)).rejects.toMatchObject({ code: 'invitationInvalid' });
    await expect(accept(second.token)).resolves.toMatchObject({ role: 'viewer' });
  });

  test('have one login for several accounts, if they accept with its password', async () => {
    const { deps, freshOwner, newOwner, enter, holderOf } = memberWorld(store());
    const { accountId, email } = await newOwner();
    const other = await freshOwner();
    const { token } = await invite(deps, other.holder, { email, role: 'viewer' }, at());
    await acceptInvitation(deps, { token, name: 'Ann', password: PASSWORD }, at(NOW_MS + 1));
    expect(await enter(email)).toMatchObject({ accountId, role: 'owner' });
    const there = await enter(email, { accountId: other.accountId });
    expect(await holderOf(there.token)).toMatchObject({ accountId: other.accountId, role: 'viewer' });
    const nowhere = enter(email, { accountId: (await newOwner()).accountId });
    await expect(nowhere).rejects.toMatchObject({ code: 'signInFailed' });
  });

  test('with one login for several accounts end their other sessions in all of them', async () => {
    const { deps, freshOwner, newOwner, enter, holderOf } = memberWorld(store());
    const { email } = await newOwner();
    const other = await freshOwner();
    const { token } = await invite(deps, other.holder, { email, role: 'viewer' }, at());
    await acceptInvitation(deps, { token, name: 'Ann', password: PASSWORD }, at(NOW_MS + 1));
    const [kept, ended] = [await enter(email), await enter(email, { accountId: other.accountId })];
    await endOtherSessions(deps, await holderOf(kept.token), at());
    expect(await holderOf(kept.token)).toMatchObject({ role: 'owner' });
    await expect(holderOf(ended.token)).rejects.toMatchObject({ code: 'sessionInvalid' });
  });

  test('that were removed come back with a new password, and nothing of before', async () => {
    const { deps, freshOwner, newMember, enter, enrol } = memberWorld(store());
    const { holder } = await freshOwner();
    const { email, memberId } = await newMember(holder, 'viewer');
    await enrol((await enter(email)).token);
    await removeMember(deps, holder, memberId, at());
    const { token } = await invite(deps, holder, { email, role: 'billing' }, at());
    await acceptInvitation(deps, { token, name: 'Bob', password: OTHER_PASSWORD }, at());
    await expect(enter(email)).rejects.toMatchObject({ code: 'signInFailed' });
    await expect(enter(email, { password: OTHER_PASSWORD })).resolves.toMatchObject({ role: 'billing' });
  });

  test('are reset by the operator: password, second factor and sessions are gone, and a link sets a password', async () => {
    const { deps, freshOwner, enter, holderOf } = memberWorld(store());
    const { accountId, memberId, email, token } = await freshOwner();
    const missing = resetMember(deps, { accountId, email: newEmail() }, at());
    await expect(missing).rejects.toMatchObject({ code: 'memberNotFound' });
    const link = await resetMember(deps, { accountId, email }, at());
    await expect(holderOf(token)).rejects.toMatchObject({ code: 'sessionInvalid' });
    await expect(enter(email)).rejects.toMatchObject({ code: 'signInFailed' });
    const accept = (wanted: string) =>
      acceptSetupLink(deps, { token: link.token, email: wanted, name: '', password: OTHER_PASSWORD }, at());
    await expect(accept(newEmail())).rejects.toMatchObject({ code: 'setupLinkInvalid' });
    expect(await accept(email)).toEqual({ memberId, accountId, email, role: 'owner' });
    await expect(enter(email, { password: OTHER_PASSWORD })).resolves.toMatchObject({ memberId });
  });

  test('begin with a set-up link, which replaces the one before; a password has 12 to 128 characters', async () => {
    const { deps, newOwner } = memberWorld(store());
    const { accountId, email } = await newOwner();
    const first = await createSetupLink(deps, accountId, at());
    const { token } = await createSetupLink(deps, accountId, at());
    const person = { email: newEmail(), name: 'Eve', password: PASSWORD };
    const accept = (change: object) => acceptSetupLink(deps, { ...person, token, ...change }, at(NOW_MS + 1));
    await expect(accept({ token: first.token })).rejects.toMatchObject({ code: 'setupLinkInvalid' });
    for (const length of [11, 129])
      await expect(accept({ password: 'x'.repeat(length) })).rejects.toMatchObject({ code: 'passwordUnfit' });
    await expect(accept({ email: 'no email' })).rejects.toMatchObject({ code: 'emailInvalid' });
    for (const name of ['', 'x'.repeat(101), 'Eve\u001b[2J'])
      await expect(accept({ name })).rejects.toMatchObject({ code: 'nameUnfit' });
    await accept({ password: 'x'.repeat(12) });
    const owners = await listMembers(deps, accountId);
    expect(owners.map((owner) => [owner.email, owner.role])).toEqual([
      [email, 'owner'],
      [person.email, 'owner'],
    ]);
  });
});
