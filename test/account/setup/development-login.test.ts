import { expect, test } from 'vitest';
import {
  DEVELOPMENT_EMAIL,
  ensureDevelopmentLogin,
  revokeDevelopmentLogin,
} from '../../../src/account/setup/development-login.ts';
import { changePassword } from '../../../src/account/identity/members/change-password.ts';
import { listInvitations } from '../../../src/account/identity/members/invitations.ts';
import { listMembers } from '../../../src/account/identity/members/members.ts';
import { resetMember } from '../../../src/account/identity/members/reset-member.ts';
import { createSetupLink } from '../../../src/account/identity/members/setup-links.ts';
import { describeStores } from '../../store/backends.ts';
import { at, memberWorld, PASSWORD, refusal } from '../identity/members/member-world.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';

describeStores('the development login', (backend) => {
  const store = backend.emptied();

  async function start(kept: Parameters<typeof ensureDevelopmentLogin>[2] = {}, accountId?: string) {
    const id = accountId ?? (await newCustomer(store()));
    const made = await ensureDevelopmentLogin({ store: store() }, id, kept, NOW_MS);
    const world = memberWorld(store());
    const enter = () => world.enter(DEVELOPMENT_EMAIL, { password: made.dashboard_password ?? '' });
    return { ...world, accountId: id, made, enter, enterAs: world.enter };
  }

  test('signs in as an owner without a second factor, and is the same at the next start', async () => {
    const { accountId, made, enter, holderOf } = await start();
    const { token } = await enter();
    expect(await holderOf(token)).toMatchObject({ accountId, role: 'owner' });
    expect(await start(made, accountId)).toMatchObject({ made });
    expect(await holderOf(token)).toMatchObject({ accountId });
    expect(await listMembers({ store: store() }, accountId)).toMatchObject([
      { email: 'developer@keyslot.localhost', role: 'owner', hasSecondFactor: false },
    ]);
  });

  test('gets another password, and loses its sessions, when the file was lost', async () => {
    const { accountId, made, enter, holderOf } = await start();
    const { token } = await enter();
    const later = await start({ dashboard_password: 'of another installation' }, accountId);
    expect(later.made.dashboard_password).not.toBe(made.dashboard_password);
    expect(await refusal(holderOf(token))).toBe('sessionInvalid');
    expect(await refusal(enter())).toBe('signInFailed');
    await later.enter();
  });

  test('keeps a password that was set in the dashboard, which the file does not have', async () => {
    const { accountId, made, enter, enrol, deps, holderOf, enterAs } = await start();
    await changePasswordOf(PASSWORD);
    const later = await start(made, accountId);
    expect(later.made).toEqual({ dashboard_email: DEVELOPMENT_EMAIL });
    expect(await refusal(enter())).toBe('signInFailed');
    expect(await refusal(enterAs(DEVELOPMENT_EMAIL))).toBe('secondFactorRequired');

    /** With a fresh session, as the page does it. */
    async function changePasswordOf(next: string): Promise<void> {
      const present = made.dashboard_password ?? '';
      const { token } = await enter();
      const fresh = await enrol(token, NOW_MS, present);
      await changePassword(deps, await holderOf(fresh.token), { present, next }, at());
    }
  });

  test('is left to the link of an operator who reset it', async () => {
    const { accountId, made } = await start();
    await resetMember({ store: store() }, { accountId, email: DEVELOPMENT_EMAIL }, at());
    expect((await start(made, accountId)).made).toEqual({ dashboard_email: DEVELOPMENT_EMAIL });
  });

  test('is gone with every member of its account when an operator configures the server, and comes back as a new one', async () => {
    const { accountId, made, enter, deps, holderOf, newMember, enrol, enterAs } = await start();
    const fresh = await enrol((await enter()).token, NOW_MS, made.dashboard_password);
    const holder = await holderOf(fresh.token);
    const { email } = await newMember(holder, 'viewer');
    const { token } = await enterAs(email);
    const other = memberWorld(store());
    const elsewhere = await other.newOwner();
    await createSetupLink(deps, accountId, at());
    await revokeDevelopmentLogin({ store: store() }, accountId, NOW_MS);
    const ended = [fresh.token, token].map((one) => refusal(holderOf(one)));
    expect(await Promise.all(ended)).toEqual(['sessionInvalid', 'sessionInvalid']);
    const closed = [enter(), enterAs(email)].map(refusal);
    expect(await Promise.all(closed)).toEqual(['signInFailed', 'signInFailed']);
    expect(await listMembers({ store: store() }, accountId)).toEqual([]);
    expect(await listInvitations({ store: store() }, accountId, NOW_MS)).toEqual([]);
    await enterAs(elsewhere.email);
    const again = await start(made, accountId);
    expect(again.made.dashboard_password).not.toBe(made.dashboard_password);
    await again.enter();
  });

  test('costs a start less than a sign-in', async () => {
    const { accountId, made, enter } = await start();
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const sinceMs = performance.now();
      await work();
      return performance.now() - sinceMs;
    };
    const least = { check: Infinity, signIn: Infinity };
    for (let round = 0; round < 5; round++) {
      least.signIn = Math.min(least.signIn, await timed(enter));
      least.check = Math.min(least.check, await timed(() => start(made, accountId)));
    }
    expect(least.check).toBeLessThan(least.signIn);
  });
});
