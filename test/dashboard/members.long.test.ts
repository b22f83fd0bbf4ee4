import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { findBarriers } from './axe.ts';
import { closed, describeWithServer, enter, visit } from './use-real-dashboard.ts';
import { WATCH_SHIFTS } from './watch-shifts.ts';
import { VIEWS } from './views.ts';

/** Fills the form of an invitation, and returns the link that is shown. */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('radio', { name: role }).check();
  await page.getByRole('button', { name: 'Create the invitation' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invitation created' });
  const link = String(await dialog.locator('.secret code').textContent());
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  return link;
}

/** Sets up a second factor with the secret that the page shows, and returns the backup codes. */
async function enrol(page: Page): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  const secret = String(await page.getByRole('dialog').locator('.secret code').textContent());
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await page
    .getByLabel('Code', { exact: true })
    .fill(TOTP.generate({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
  return await page.getByRole('list', { name: 'Backup codes' }).locator('code').allTextContents();
}

await describeWithServer('members, in the dashboard of a server', ({ world, open }) => {
  const newOwner = async (name: string) => world().members.newOwner(await world().members.accountIdOf(name));

  test('from a set-up link over a second factor to a member who is invited, promoted and removed', async () => {
    const { page, complaints } = await open(`/setup#token=${await world().members.newSetupToken()}`);
    await page.getByLabel('Email').fill(world().members.newEmail());
    await page.getByLabel('Your name').fill('Ann');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Your login has no second factor yet.').waitFor();
    await page.getByRole('link', { name: 'Set it up' }).click();
    const codes = await enrol(page);
    expect(new Set(codes).size).toBe(10);
    const done = page.getByRole('button', { name: 'Done' });
    expect(await done.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await (await downloading).path();
    expect((await readFile(file, 'utf8')).split('\n').slice(3, -1)).toEqual(codes);
    await page.getByLabel('I have saved them').check();
    await done.click();
    await page.getByText('10 backup codes are left.').waitFor();
    expect(await page.content()).not.toContain(codes[0]);

    await visit(page, 'Members');
    const link = await invite(page, world().members.newEmail(), 'Viewer');
    const bob = await open(link);
    await bob.page.getByLabel('Your name').fill('Bob');
    await bob.page.getByLabel('New password').fill(PASSWORD);
    await bob.page.keyboard.press('Enter');
    await bob.page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.getByRole('link', { name: 'Open invitations' }).click();
    await page.getByText('No open invitations').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Members', exact: true }).last().click();
    await page.getByRole('button', { name: 'Change role of Bob' }).click();
    await page.getByRole('radio', { name: 'Developer' }).check();
    await page.getByRole('button', { name: 'Change the role', exact: true }).click();
    await page.getByRole('row', { name: 'Bob' }).getByText('Developer').waitFor();
    await bob.page.reload();
    await visit(bob.page, 'Keys and tokens');
    await bob.page.getByRole('button', { name: 'Create a key' }).waitFor();

    await page.getByRole('button', { name: 'Remove Bob' }).click();
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await closed(page);
    await page.getByRole('row', { name: 'Bob' }).waitFor({ state: 'detached' });
    await bob.page.reload();
    await bob.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect([...complaints, ...bob.complaints]).toEqual([]);
  });

  test('a viewer sees the members and may leave, and nothing that the role does not allow', async () => {
    const viewer = await world().members.newMember(await newOwner('viewed'), 'viewer');
    const { page } = await open('/members');
    await enter(page, viewer.email);
    await page.getByRole('row', { name: 'Ann' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual(['Leave']);
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(names.filter((name) => ['Accounts', 'Plans', 'Nodes', 'Limit requests'].includes(name))).toEqual(
      [],
    );
    await page.goto(`${world().server.baseUrl}/dashboard/members/invitations`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(`${world().server.baseUrl}/dashboard/settings/limits`);
    await page.getByText('No requests').waitFor();
    expect(await page.getByRole('button', { name: 'Ask for a higher limit' }).count()).toBe(0);
  });

  test('an invitation asks for the code of a login that has this password; another password needs none', async () => {
    const { members } = world();
    const [first, second] = [await newOwner('first-of-two'), await newOwner('second-of-two')];
    const { backupCodes } = await members.newFactorSession(first);
    const { token } = await members.newInvitation(second, first.email);
    const { page } = await open(`/invitation#token=${token}`);
    await page.getByLabel('Your name').fill('Ann');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('enter its code').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(backupCodes[0] ?? '');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const third = await newOwner('third-of-two');
    const invitation = await members.newInvitation(third, first.email);
    const { page: other } = await open(`/invitation#token=${invitation.token}`);
    await other.getByLabel('Your name').fill('Ann');
    await other.getByLabel('New password').fill(`${PASSWORD}, another`);
    await other.getByRole('button', { name: 'Accept' }).click();
    await other.getByRole('link', { name: 'Members' }).waitFor();
  });

  test('an invitation is withdrawn, and its link works no longer', async () => {
    const owner = await newOwner('withdrawing');
    const email = world().members.newEmail();
    const { token } = await world().members.newInvitation(owner, email);
    const { page } = await open('/members/invitations');
    await enter(page, owner.email);
    await page.getByRole('button', { name: `Withdraw the invitation of ${email}` }).click();
    await page.getByRole('button', { name: 'Withdraw it' }).click();
    await closed(page);
    await page.getByText('No open invitations').waitFor();
    const answer = await world().send('POST', '/account/v1/invitations/accept', {
      body: { invitation_token: token, name: 'Bob', password: PASSWORD },
    });
    expect(answer.code).toBe('invitation_invalid');
  });

  test('without a second factor a change that needs one leads to where it is set up', async () => {
    const owner = await newOwner('without factor');
    const { page } = await open('/members');
    await enter(page, owner.email);
    await page.getByRole('button', { name: 'Invite a member' }).click();
    await page.getByLabel('Email').fill(world().members.newEmail());
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Set up a second factor first' }).waitFor();
    await page.getByRole('link', { name: 'Go to Security' }).click();
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('the last owner cannot leave, and is told why', async () => {
    const owner = await newOwner('leaving last');
    const { backupCodes } = await world().members.newFactorSession(owner);
    const { page } = await open('/settings');
    await enter(page, owner.email, backupCodes[0]);
    await page.getByRole('button', { name: 'Leave the account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the account' }).click();
    await page.getByText('An account needs an owner').waitFor();
  });

  test('sessions are listed in words; one is ended, and the password ends the others', async () => {
    const owner = await newOwner('with sessions');
    const [first, second] = [await world().enter(owner.email), await world().enter(owner.email)];
    const { page, complaints } = await open('/security');
    await enter(page, owner.email);
    await page.getByRole('row', { name: 'Chrome on Linux this one' }).waitFor();
    const codeOf = async (session: string) =>
      (await world().send('GET', '/account/v1/session', { session })).code;
    expect([await codeOf(first), await codeOf(second)]).toEqual([undefined, undefined]);
    const ends = page.getByRole('button', { name: 'End the session of' });
    expect(await ends.count()).toBe(2);
    await ends.first().click();
    await page.getByRole('button', { name: 'End the session', exact: true }).click();
    await closed(page);
    await ends.nth(1).waitFor({ state: 'detached' });
    expect([await codeOf(first), await codeOf(second)].sort()).toEqual(['session_invalid', undefined]);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByLabel('Current password').fill('not this one at all');
    await page.getByLabel('New password').fill(`${PASSWORD} two`);
    await page.keyboard.press('Enter');
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await closed(page);
    await page.getByText('The password was changed, and').waitFor();
    await ends.first().waitFor({ state: 'detached' });
    expect([await codeOf(first), await codeOf(second)]).toEqual(['session_invalid', 'session_invalid']);
    expect(complaints).toEqual([]);
  });

  test('backup codes are replaced, and the ones from before work no longer', async () => {
    const owner = await newOwner('with codes');
    const [used = '', old] = (await world().members.newFactorSession(owner)).backupCodes;
    const { page } = await open('/security');
    await enter(page, owner.email, used);
    await page.getByText('9 backup codes are left.').waitFor();
    await page.getByRole('button', { name: 'New backup codes' }).click();
    await page.getByRole('button', { name: 'Create new codes' }).click();
    const codes = page.getByRole('list', { name: 'Backup codes' }).locator('code');
    const fresh = await codes.first().textContent();
    await page.getByLabel('I have saved them').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 backup codes are left.').waitFor();
    const signIn = async (code: unknown) =>
      (
        await world().send('POST', '/account/v1/session', {
          body: { email: owner.email, password: PASSWORD, code },
        })
      ).code;
    expect([await signIn(old), await signIn(fresh)]).toEqual(['second_factor_invalid', undefined]);
  });

  test('signing out everywhere ends every session of the login', async () => {
    const owner = await newOwner('signing out');
    const other = await world().enter(owner.email);
    const { page } = await open('/settings');
    await enter(page, owner.email);
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await world().send('GET', '/account/v1/session', { session: other })).code).toBe(
      'session_invalid',
    );
  });

  test('a member is invited with the keyboard alone, and the focus returns to the button', async () => {
    const owner = await newOwner('keyboard');
    const { backupCodes } = await world().members.newFactorSession(owner);
    const { page } = await open('/members');
    await enter(page, owner.email, backupCodes[0]);
    await page.getByRole('row', { name: 'Ann' }).waitFor();
    await page.locator('body').press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Invite a member');
    await page.keyboard.press('Enter');
    await page.getByLabel('Email').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('bob@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowUp');
    expect(await page.getByRole('radio', { name: 'Billing' }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Invitation created' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction('document.activeElement?.textContent === "Invite a member"');
  });

  test.each(VIEWS)(
    'no barrier, nothing wider than the screen, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const owner = await newOwner(`seen-${view.width}-${view.colorScheme}`);
      await world().members.newInvitation(owner, `${'long'.repeat(20)}${view.width}@example.com`);
      const { page, complaints } = await open('/members', view);
      await enter(page, owner.email);
      await page.getByRole('row', { name: 'Ann' }).waitFor();
      const check = async (): Promise<void> => {
        expect(await findBarriers(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      };
      const pages = [
        { path: '/members', seen: page.getByRole('row', { name: 'Ann' }) },
        { path: '/members/invitations', seen: page.getByRole('row', { name: 'Viewer' }) },
        { path: '/security', seen: page.getByText('this one') },
        { path: '/settings', seen: page.getByRole('heading', { name: 'Networks' }) },
        { path: '/settings/limits', seen: page.getByText('a second, ') },
      ];
      for (const { path, seen } of pages) {
        await page.goto(`${world().server.baseUrl}/dashboard${path}`);
        await page.evaluate(WATCH_SHIFTS);
        await seen.waitFor();
        await check();
        expect([path, await page.evaluate('window.shifted')]).toEqual([path, 0]);
      }
      await page.goto(`${world().server.baseUrl}/dashboard/security`);
      await page.getByRole('button', { name: 'Set up a second factor' }).click();
      await page.getByLabel('Your password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      await check();
      expect(complaints).toEqual([]);
    },
  );
});
