import { expect, test } from 'vitest';
import { changePassword } from '../../../../src/account/identity/members/change-password.ts';
import { acceptSetupLink, createSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import { resetMember } from '../../../../src/account/identity/members/reset-member.ts';
import { auditRecords } from '../../../../src/store/audit-tables.ts';
import { and, eq } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer } from '../../new-customer.ts';
import { at, memberWorld, newEmail, PASSWORD, refusal } from './member-world.ts';

/** A login that owns two accounts. */
async function newOwnerOfTwo(store: Store) {
  const world = memberWorld(store);
  const { accountId: first, memberId, email } = await world.newOwner();
  const second = await newCustomer(store);
  const { token } = await createSetupLink(world.deps, second, at());
  const owner = await acceptSetupLink(world.deps, { token, email, name: 'Ann', password: PASSWORD }, at());
  const memberships = [
    { accountId: first, memberId },
    { accountId: second, memberId: owner.memberId },
  ];
  return { ...world, email, memberships };
}

describeStores('what happens to a login that is a member of two accounts', (backend) => {
  const store = backend.shared();

  test('a change is in the audit log of both, each time under the membership of that account', async () => {
    const { deps, enter, enrol, holderOf, email, memberships } = await newOwnerOfTwo(store());
    const next = 'another horse, another battery';
    const { token } = await enter(email);
    await changePassword(deps, await holderOf(token), { present: PASSWORD, next }, at());
    await enrol(token, undefined, next);
    await resetMember(deps, { accountId: memberships[0]?.accountId ?? '', email }, at());
    const actions = ['member.change_password', 'member.enrol_second_factor', 'member.reset'] as const;
    for (const { accountId, memberId } of memberships)
      for (const action of actions) {
        const { memberId: actor, subject } = auditRecords;
        const found = await store()
          .db.select({ actor, subject })
          .from(auditRecords)
          .where(and(eq(auditRecords.accountId, accountId), eq(auditRecords.action, action)));
        const isOperator = action === 'member.reset';
        expect(found, action).toEqual([
          isOperator ? { actor: null, subject: memberId } : { actor: memberId, subject: null },
        ]);
      }
  });

  test('a wrong password is recorded in both; one of a login that there is not is in none', async () => {
    const { enter, refused, email, memberships } = await newOwnerOfTwo(store());
    const request = at(undefined, '192.0.2.9');
    expect(await refusal(enter(newEmail(), {}, request))).toBe('signInFailed');
    expect(refused).toEqual([]);
    expect(await refusal(enter(email, { password: 'a wrong password' }, request))).toBe('signInFailed');
    const expected = memberships.map((holder) => {
      const { requestId, address } = request;
      return { holder, action: 'session.sign_in', outcome: 'sign_in_failed', requestId, address };
    });
    expect(refused).toHaveLength(2);
    expect(refused).toEqual(expect.arrayContaining(expected));
  });

  test('wrong codes and a lock are recorded; a sign-in that is asked for its code is not', async () => {
    const { enter, enrol, newOwner, refused } = memberWorld(store());
    const { email } = await newOwner();
    await enrol((await enter(email)).token);
    expect(await refusal(enter(email))).toBe('secondFactorRequired');
    expect(refused).toEqual([]);
    const request = at(undefined, '192.0.2.10');
    expect(await refusal(enter(email, { code: '000000' }, request))).toBe('secondFactorInvalid');
    for (const _each of [1, 2, 3, 4, 5]) await refusal(enter(email, { password: 'wrong' }, request));
    expect(await refusal(enter(email, {}, request))).toBe('signInLocked');
    const outcomes = refused.map(({ outcome }) => outcome);
    expect([outcomes[0], outcomes.at(-1)]).toEqual(['second_factor_invalid', 'sign_in_locked']);
  });
});
