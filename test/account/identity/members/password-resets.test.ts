import { expect, test } from 'vitest';
import { changePassword } from '../../../../src/account/identity/members/change-password.ts';
import { removeMember } from '../../../../src/account/identity/members/members.ts';
import { createResetLinks, resetPassword } from '../../../../src/account/identity/members/password-resets.ts';
import { resetMember } from '../../../../src/account/identity/members/reset-member.ts';
import { acceptSetupLink, createSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import { countReset } from '../../../../src/account/identity/members/sign-in-attempts.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, MINUTE_MS, newEmail, PASSWORD, refusal, STEP_MS } from './member-world.ts';

const NEW = 'another horse battery staple';
const HOUR_MS = 60 * MINUTE_MS;

describeStores('a link that resets a password', (backend) => {
  const store = backend.shared();

  function world() {
    const made = memberWorld(store());
    const { deps } = made;
    const tokenFor = async (email: string, request = at()): Promise<string> =>
      (await createResetLinks(deps, email, request))[0]?.token ?? '';
    const reset = (token: string, password = NEW, request = at()) =>
      refusal(resetPassword(deps, { token, password }, request));
    return { ...made, tokenFor, reset };
  }

  test('sets the password once, ends the sessions, and leaves the second factor', async () => {
    const { freshOwner, tokenFor, reset, enter, holderOf } = world();
    const { email, token, codeAt } = await freshOwner();
    const link = await tokenFor(email);
    expect(await reset(link, 'short')).toBe('passwordUnfit');
    expect(await reset(link)).toBe('none');
    expect(await refusal(holderOf(token))).toBe('sessionInvalid');
    expect(await refusal(enter(email))).toBe('signInFailed');
    expect(await refusal(enter(email, { password: NEW }))).toBe('secondFactorRequired');
    const later = NOW_MS + STEP_MS;
    await enter(email, { password: NEW, code: codeAt(later) }, at(later));
    expect(await reset(link, PASSWORD)).toBe('setupLinkInvalid');
  });

  test('is made for members alone, and works for an hour', async () => {
    const { deps, freshOwner, newMember, tokenFor, reset } = world();
    expect(await createResetLinks(deps, newEmail(), at())).toEqual([]);
    const { holder, email } = await freshOwner();
    const removed = await newMember(holder, 'viewer');
    const early = await tokenFor(removed.email);
    await removeMember(deps, holder, removed.memberId, at());
    expect(await createResetLinks(deps, removed.email, at())).toEqual([]);
    expect(await reset(early)).toBe('setupLinkInvalid');
    const link = await tokenFor(email);
    expect(await reset(link, NEW, at(NOW_MS + HOUR_MS))).toBe('setupLinkInvalid');
    expect(await reset(link, NEW, at(NOW_MS + HOUR_MS - 1))).toBe('none');
  });

  test('opens the login that it was made for and no other', async () => {
    const { newOwner, tokenFor, reset, enter } = world();
    const [own, other] = [await newOwner(), await newOwner()];
    expect(await reset(await tokenFor(own.email))).toBe('none');
    await enter(other.email);
    await enter(own.email, { password: NEW });
  });

  test('that a stranger asked for does not end the one of the operator; a new password ends both', async () => {
    const { deps, newOwner, tokenFor, reset, enter } = world();
    const { accountId, email } = await newOwner();
    const mailed = await tokenFor(email);
    const { token } = await resetMember(deps, { accountId, email }, at());
    expect(await reset(mailed)).toBe('setupLinkInvalid');
    const another = await tokenFor(email);
    expect(await reset(token)).toBe('none');
    expect(await reset(another, PASSWORD)).toBe('setupLinkInvalid');
    await enter(email, { password: NEW });
  });

  test('ends when the password is changed in the dashboard', async () => {
    const { deps, freshOwner, tokenFor, reset, holderOf } = world();
    const { email, token } = await freshOwner();
    const link = await tokenFor(email);
    await changePassword(deps, await holderOf(token), { present: PASSWORD, next: NEW }, at());
    expect(await reset(link)).toBe('setupLinkInvalid');
  });

  test('is none that makes an owner, which stays usable', async () => {
    const { deps, reset, enter } = world();
    const { token } = await createSetupLink(deps, await newCustomer(store()), at());
    expect(await reset(token)).toBe('setupLinkInvalid');
    const email = newEmail();
    await acceptSetupLink(deps, { token, email, name: 'Ann', password: PASSWORD }, at());
    await enter(email);
  });

  test('is asked for three times from one place, and five times for an email, in a quarter of an hour', async () => {
    const { deps, enter, newOwner } = world();
    const { email } = await newOwner();
    const ask = (address: string, nowMs = NOW_MS, asked = email) =>
      refusal(countReset(deps, { email: asked, address }, nowMs));
    const once = [await ask('10.8.0.1'), await ask('10.8.0.1'), await ask('10.8.0.1')];
    expect([...once, await ask('10.8.0.1')]).toEqual(['none', 'none', 'none', 'passwordResetLimited']);
    expect([await ask('10.8.0.2'), await ask('10.8.0.3')]).toEqual(['none', 'none']);
    expect(await ask('10.8.0.4')).toBe('passwordResetLimited');
    expect(await ask('10.8.0.1', NOW_MS, newEmail())).toBe('none');
    await enter(email, {}, at(NOW_MS, '10.8.0.1'));
    expect(await ask('10.8.0.1', NOW_MS + 15 * MINUTE_MS)).toBe('none');
    const many = await Promise.all(Array.from({ length: 25 }, () => ask('10.8.1.1', NOW_MS, newEmail())));
    expect(many.filter((code) => code === 'none')).toHaveLength(20);
  });

  test('is asked for twenty times a day for an email, from however many places, and then not for half a day', async () => {
    const { deps } = world();
    const email = newEmail();
    const ask = (nowMs: number, asked = email) =>
      refusal(countReset(deps, { email: asked, address: at().address }, nowMs));
    let nowMs = NOW_MS;
    const answers = [];
    for (let quarter = 0; quarter < 5; quarter++, nowMs += 16 * MINUTE_MS)
      for (let sent = 0; sent < 5; sent++) answers.push(await ask(nowMs));
    // The 20th is sent, and locks.
    expect(answers.slice(0, 20)).toEqual(Array(20).fill('none'));
    expect(new Set(answers.slice(20))).toEqual(new Set(['passwordResetLimited']));
    const lockedAt = NOW_MS + 3 * 16 * MINUTE_MS;
    expect(await ask(lockedAt + 12 * HOUR_MS - 1)).toBe('passwordResetLimited');
    expect(await ask(lockedAt + 12 * HOUR_MS - 1, newEmail())).toBe('none');
    expect(await ask(lockedAt + 12 * HOUR_MS)).toBe('none');
  });

  test("a day's count begins again a day after its first request", async () => {
    const { deps } = world();
    const email = newEmail();
    const ask = (nowMs: number) => refusal(countReset(deps, { email, address: at().address }, nowMs));
    for (let sent = 0; sent < 19; sent++) expect(await ask(NOW_MS + sent * 20 * MINUTE_MS)).toBe('none');
    for (let sent = 0; sent < 19; sent++)
      expect(await ask(NOW_MS + 24 * HOUR_MS + sent * 20 * MINUTE_MS)).toBe('none');
  });
});
