import { expect, test } from 'vitest';
import { acceptInvitation, invite } from '../../../../src/account/identity/members/invitations.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, MINUTE_MS, newEmail, PASSWORD, refusal } from './member-world.ts';

describeStores('an owner who invites strangers', (backend) => {
  const store = backend.shared();

  test('learns no email by accepting with a password or a name that no login can have', async () => {
    const { deps, freshOwner, newOwner } = memberWorld(store());
    const { holder } = await freshOwner();
    const known = (await newOwner()).email;
    for (const email of [known, newEmail()]) {
      const { token } = await invite(deps, holder, { email, role: 'viewer' }, at());
      const accept = (name: string, password: string) =>
        refusal(acceptInvitation(deps, { token, name, password }, at()));
      expect(await accept('Eve', 'short')).toBe('passwordUnfit');
      expect(await accept('', PASSWORD)).toBe('nameUnfit');
    }
  });

  test('mails nobody more than five times an hour, and has at most a hundred open', async () => {
    const { deps, freshOwner } = memberWorld(store());
    const { holder } = await freshOwner();
    const send = (email: string, nowMs = NOW_MS) =>
      invite(deps, { ...holder, freshFactorUntilMs: Infinity }, { email, role: 'viewer' }, at(nowMs));
    const email = newEmail();
    for (let sent = 0; sent < 5; sent += 1) await send(email);
    await expect(send(email)).rejects.toMatchObject({ code: 'tooManyInvitations', context: { limit: 5 } });
    expect(await refusal(send(email, NOW_MS + 60 * MINUTE_MS))).toBe('none');
    for (let sent = 1; sent < 100; sent += 1) await send(newEmail());
    await expect(send(newEmail())).rejects.toMatchObject({
      code: 'tooManyInvitations',
      context: { limit: 100 },
    });
  });
});
