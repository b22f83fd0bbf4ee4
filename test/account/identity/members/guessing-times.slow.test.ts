import { expect, test } from 'vitest';
import { acceptInvitation, invite } from '../../../../src/account/identity/members/invitations.ts';
import { removeMember } from '../../../../src/account/identity/members/members.ts';
import { describeStores } from '../../../store/backends.ts';
import { at, memberWorld, newEmail, refusal } from './member-world.ts';

const WRONG = 'wrong horse battery staple';

describeStores('an attacker who guesses', (backend) => {
  const store = backend.shared();

  test('learns no email from the time: in 200 rounds no kind of refusal comes first nearly always', async () => {
    const { deps, newOwner, enter, freshOwner, newMember } = memberWorld(store(), { n: 2 ** 12, r: 8, p: 1 });
    const { email } = await newOwner();
    const { holder } = await freshOwner();
    const removed = await newMember(holder, 'viewer');
    await removeMember(deps, holder, removed.memberId, at());
    const shared = newEmail();
    await newMember(holder, 'viewer', shared);
    const { token } = await invite(
      deps,
      (await freshOwner()).holder,
      { email: shared, role: 'viewer' },
      at(),
    );
    await acceptInvitation(deps, { token, name: 'Bob', password: `${WRONG}, or not` }, at());
    const kinds = {
      two: () => enter(shared, { password: WRONG }),
      unknown: () => enter(newEmail(), { password: WRONG }),
      wrong: () => enter(email, { password: WRONG }),
      removed: () => enter(removed.email),
    };
    const taken: Record<keyof typeof kinds, number[]> = { two: [], unknown: [], wrong: [], removed: [] };
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    for (let round = 0; round < 200; round += 1) {
      // The counts of the attempts before are no part of what is compared.
      if (round % 4 === 0) await store().db.execute(`delete from sign_in_attempts` as never);
      for (const offset of names.keys()) {
        const name = names[(round + offset) % names.length] ?? 'unknown';
        const startMs = performance.now();
        expect(await refusal(kinds[name]())).toBe('signInFailed');
        taken[name].push(performance.now() - startMs);
      }
    }
    // Round by round, whatever else the machine does meanwhile: an answer that told would come first nearly always.
    for (const [one, other] of [
      ['unknown', 'wrong'],
      ['removed', 'wrong'],
      ['unknown', 'removed'],
      ['unknown', 'two'],
      ['two', 'wrong'],
    ] as const) {
      const first = taken[one].filter((ms, round) => ms < (taken[other][round] ?? 0)).length;
      expect([one, other, first, first > 60 && first < 140]).toEqual([one, other, first, true]);
    }
  });
});
