import { expect, test } from 'vitest';
import { createOutbox } from '../../../../src/account/email/member-mail.ts';
import { verifyAudit } from '../../../../src/account/audit/verify-audit.ts';
import { acceptInvitation, invite } from '../../../../src/account/identity/members/invitations.ts';
import { removeMember } from '../../../../src/account/identity/members/members.ts';
import { createResetLinks } from '../../../../src/account/identity/members/password-resets.ts';
import { auditRecords } from '../../../../src/store/audit-tables.ts';
import { outgoingMails } from '../../../../src/store/mail-tables.ts';
import { setupLinks } from '../../../../src/store/member-tables.ts';
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

describeStores('an attacker who asks for links', (backend) => {
  const store = backend.emptied();

  test('learns no email from the work of a password reset: it is done for an unknown email too, and leaves nothing', async () => {
    const { deps, newOwner } = memberWorld(store());
    const { email } = await newOwner();
    const outbox = createOutbox({
      installationKey: deps.installationKey,
      metrics: { count: () => undefined },
      log: { error: () => undefined },
    });
    const reset = async (to: string) => {
      const startMs = performance.now();
      const request = at();
      const mail = { to, subject: 'Reset', text: 'A link' };
      await createResetLinks(deps, to, {
        ...request,
        onLinks: (tx) => outbox.add(tx, [{ kind: 'password_reset', mail }], request.nowMs),
      });
      return performance.now() - startMs;
    };
    const left = () =>
      Promise.all([setupLinks, outgoingMails, auditRecords].map((table) => store().db.$count(table)));
    const before = await left();
    await reset(newEmail());
    expect(await left()).toEqual(before);
    await reset(email);
    expect(await left()).toEqual(before.map((count) => count + 1));
    let first = 0;
    for (let round = 0; round < 200; round += 1) {
      if (round % 50 === 0) await store().db.delete(outgoingMails);
      const emails = round % 2 === 0 ? [newEmail(), email] : [email, newEmail()];
      const [one = 0, other = 0] = [await reset(emails[0] ?? ''), await reset(emails[1] ?? '')];
      if (one < other === (round % 2 === 0)) first += 1;
    }
    expect([first, first > 60 && first < 140]).toEqual([first, true]);
    const verdict = await verifyAudit({ store: store(), headsFile: '/nonexistent/heads', trustedKeys: [] });
    expect(verdict).toMatchObject({ isSound: true });
  });
});
