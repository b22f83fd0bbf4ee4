import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPasswordHash } from '../../src/account/identity/members/hash-password.ts';
import { acceptInvitation, invite } from '../../src/account/identity/members/invitations.ts';
import { describeSession } from '../../src/account/identity/members/describe-session.ts';
import { createResetLinks, resetPassword } from '../../src/account/identity/members/password-resets.ts';
import { type SignInParams, signIn } from '../../src/account/identity/members/sign-in.ts';
import { resetMail } from '../../src/account/email/mail-texts.ts';
import { at, memberWorld, newEmail, PASSWORD, refusal } from '../account/identity/members/member-world.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { describeStores, useStore } from '../store/backends.ts';
import { makeEarlier } from '../store/make-earlier.ts';

// An owner can make a login for anybody's email: the link of an invitation is in the answer. It is a login of its own.

const OWN = 'the password of who has that mailbox';
const WRONG = 'wrong horse battery staple';

describeStores('who makes a login for the email of another', (backend) => {
  const store = backend.shared();

  /** An account whose owner has taken an email with a password and a second factor of her own, and another that invites whose it is. */
  async function claimed(email = newEmail()) {
    const world = memberWorld(store());
    const { deps, freshOwner, newMember, enter, enrol } = world;
    const [eve, host] = [await freshOwner(), await freshOwner()];
    await newMember(eve.holder, 'viewer', email);
    const { codeAt } = await enrol((await enter(email)).token);
    const accept = async (password: string, code?: string) => {
      const { token } = await invite(deps, host.holder, { email, role: 'developer' }, at());
      return acceptInvitation(deps, { token, name: 'Ann', password, code }, at(NOW_MS + 2));
    };
    const own = (more: Partial<SignInParams> = {}, request = at()) =>
      enter(email, { password: OWN, ...more }, request);
    return { ...world, eve, host, email, accept, own, codeAt };
  }

  test('keeps nobody out and takes nobody in: each login opens its own accounts, with its own factor', async () => {
    const { deps, eve, host, email, accept, own, holderOf, enter } = await claimed();
    expect(await accept(OWN)).toMatchObject({ accountId: host.accountId, email });
    const session = await own();
    expect(session).toMatchObject({ accountId: host.accountId, role: 'developer' });
    const shown = await describeSession(deps, await holderOf(session.token));
    expect(shown.memberships.map(({ accountId }) => accountId)).toEqual([host.accountId]);
    expect(shown.hasSecondFactor).toBe(false);
    expect(await refusal(own({ accountId: eve.accountId }))).toBe('signInFailed');
    expect(await refusal(enter(email))).toBe('secondFactorRequired');
    expect(await refusal(enter(email, { accountId: host.accountId }))).toBe('signInFailed');
  });

  test('and with that password alone, without the code, the login becomes no member elsewhere', async () => {
    const { host, email, accept, codeAt, enter } = await claimed();
    expect(await refusal(accept(PASSWORD))).toBe('secondFactorRequired');
    expect(await refusal(accept(PASSWORD, '000000'))).toBe('secondFactorInvalid');
    expect(await accept(PASSWORD, codeAt(NOW_MS + 30_000))).toMatchObject({ accountId: host.accountId });
    expect(await refusal(enter(email, { accountId: host.accountId }))).toBe('secondFactorRequired');
  });

  test('learns from no answer whether an email has a login', async () => {
    const { deps, freshOwner, newOwner, enter } = memberWorld(store());
    const { holder, accountId } = await freshOwner();
    const known = await newOwner();
    for (const email of [known.email, newEmail()]) {
      const { token } = await invite(deps, holder, { email, role: 'viewer' }, at());
      const accepted = await acceptInvitation(deps, { token, name: 'Eve', password: WRONG }, at());
      expect(accepted).toEqual({ memberId: expect.any(String), accountId, email, role: 'viewer' });
      expect(await enter(email, { password: WRONG })).toMatchObject({ accountId });
    }
    expect(await enter(known.email)).toMatchObject({ accountId: known.accountId });
  });

  test('guesses no more passwords of the other login than a stranger does', async () => {
    const { newOwner, freshOwner, deps, enter } = memberWorld(store());
    const { email } = await newOwner();
    const { holder } = await freshOwner();
    const { token } = await invite(deps, holder, { email, role: 'viewer' }, at());
    await acceptInvitation(deps, { token, name: 'Eve', password: WRONG }, at());
    const from = at(NOW_MS, '192.0.2.77');
    const answers: string[] = [];
    for (let guess = 0; guess < 6; guess += 1) {
      answers.push(await refusal(enter(email, { password: `guess ${guess} of many` }, from)));
      if (guess < 4) expect(await refusal(enter(email, { password: WRONG }, from))).toBe('none');
    }
    expect(answers).toEqual([...Array(5).fill('signInFailed'), 'signInLocked']);
    for (let sent = 0; sent < 50; sent += 1) await refusal(enter(email, { password: 'from everywhere' }));
    expect(await refusal(enter(email, {}, at(NOW_MS, '192.0.2.78')))).toBe('signInLocked');
    // Her session makes her known at its address, for her own login alone.
    const home = at(NOW_MS + 16 * 60_000, '192.0.2.79');
    expect(await refusal(enter(email, { password: WRONG }, home))).toBe('none');
    for (let sent = 0; sent < 51; sent += 1)
      await refusal(enter(email, { password: 'from everywhere' }, at(home.nowMs)));
    expect(await refusal(enter(email, {}, home))).toBe('signInFailed');
    expect(await refusal(enter(email, { password: WRONG }, home))).toBe('none');
  });

  test('does not read in the audit log where the other one mistypes', async () => {
    const { eve, host, accept, own, refused } = await claimed();
    await accept(OWN);
    const request = at(NOW_MS, '192.0.2.80');
    expect(await refusal(own({ password: WRONG }, request))).toBe('signInFailed');
    const seen = refused.map(({ holder, address }) => [holder?.accountId, address]);
    expect(seen).toEqual([
      [eve.accountId, undefined],
      [host.accountId, undefined],
    ]);
  });

  test('has a link of its own in the mail that resets passwords, which names the accounts', async () => {
    const { deps, eve, host, email, accept, own, enter } = await claimed();
    await accept(OWN);
    const links = await createResetLinks(deps, email, at());
    expect(links).toHaveLength(2);
    const text = resetMail({
      to: email,
      links: links.map(({ accounts, token }) => ({ accounts, link: token })),
      expiresAt: new Date(NOW_MS),
    }).text;
    for (const { accounts, token } of links)
      expect(text).toContain(`login of the account ${accounts.join()}:\n\n${token}\n`);
    const [ofEve, ofHost] = links;
    await resetPassword(deps, { token: ofHost?.token ?? '', password: WRONG }, at());
    expect(await own({ password: WRONG })).toMatchObject({ accountId: host.accountId });
    expect(await refusal(enter(email))).toBe('secondFactorRequired');
    await resetPassword(deps, { token: ofEve?.token ?? '', password: OWN }, at());
    expect(await refusal(own({ accountId: eve.accountId }))).toBe('secondFactorRequired');
    expect(await own({ password: WRONG })).toMatchObject({ accountId: host.accountId });
  });

  test('is compared with all logins of the email at once, whoever made them and whenever they changed', async () => {
    const { deps, host, email, accept, own } = await claimed();
    await accept(OWN);
    const [first, second] = await createResetLinks(deps, email, at());
    await resetPassword(deps, { token: first?.token ?? '', password: PASSWORD }, at());
    await resetPassword(deps, { token: second?.token ?? '', password: OWN }, at());
    const seen: (readonly string[])[] = [];
    const compare: typeof deps.passwords.compare = (sent) => {
      seen.push(sent.hashes.map((hash) => hash.split('$').slice(0, 5).join('$')));
      return deps.passwords.compare(sent);
    };
    const watched = { ...deps, passwords: { ...deps.passwords, compare } };
    expect(await signIn(watched, { email, password: OWN }, at())).toMatchObject({
      accountId: host.accountId,
    });
    expect(await own()).toMatchObject({ accountId: host.accountId });
    expect(seen[0]).toHaveLength(2);
    expect(new Set(seen[0]).size).toBe(1);
  });
});

describeStores('a store of the version that had one login for an email', (backend) => {
  test('keeps its logins, which sign in as before, and lets others have their emails', async () => {
    const place = backend.place();
    const [accountId, userId, memberId] = [randomUUID(), randomUUID(), randomUUID()];
    const email = newEmail();
    const hash = await createPasswordHash({ n: 2 ** 8, r: 8, p: 1 }).hash(OWN);
    await makeEarlier(place, {
      before: '0027_logins_of_one_email',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', now())`,
        `insert into logins (id, name, email, email_verified, created_at, updated_at) values ('${userId}', 'Ann', '${email}', false, now(), now())`,
        `insert into login_credentials (id, user_id, account_id, provider_id, password, created_at, updated_at)
          values ('${randomUUID()}', '${userId}', '${userId}', 'credential', '${hash}', now(), now())`,
        `insert into members (id, account_id, user_id, role, created_at) values ('${memberId}', '${accountId}', '${userId}', 'owner', now())`,
      ],
    });
    const { deps, freshOwner, enter } = memberWorld(await useStore(place));
    const { holder } = await freshOwner();
    const { token } = await invite(deps, holder, { email, role: 'viewer' }, at());
    const other = await acceptInvitation(deps, { token, name: 'Eve', password: WRONG }, at());
    expect(await enter(email, { password: OWN })).toMatchObject({ accountId, memberId, role: 'owner' });
    expect(await enter(email, { password: WRONG })).toMatchObject({ accountId: other.accountId });
  });
});
