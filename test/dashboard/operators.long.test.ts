import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { findBarriers } from './axe.ts';
import { closed, describeWithServer, enter, visit } from './use-real-dashboard.ts';
import { VIEWS } from './views.ts';

await describeWithServer('operators, in the dashboard of a server', ({ world, open }) => {
  /** An owner of the account that operates the server, with a backup code. */
  const newOperator = async () => {
    const { server, send, members } = world();
    const { access_token } = JSON.parse(await readFile(join(server.dataDir, 'dev.json'), 'utf8'));
    const { body } = await send('GET', '/account/v1/account', { token: access_token });
    const login = await members.newOwner(String(body.account_id));
    const { backupCodes } = await members.newFactorSession(login);
    return { ...login, code: String(backupCodes[0]) };
  };

  const openAsOperator = async (path: string) => {
    const { email, code } = await newOperator();
    const opened = await open(path);
    await enter(opened.page, email, code);
    return opened;
  };

  const submit = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  test('a plan and an account are made; plan, limit and credit are set; its set-up link works', async () => {
    const { page, complaints } = await openAsOperator('/operator/plans');
    await page.getByRole('button', { name: 'Create a plan' }).click();
    await page.getByLabel('Name').fill('gold');
    await page.getByLabel('Weight a second').fill('500');
    await page.getByLabel('Weight at once').fill('2000');
    await submit(page, 'Create');
    await page.getByRole('row', { name: 'gold' }).getByText('2,000').waitFor();

    await visit(page, 'Accounts');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('Name', { exact: true }).fill('initech');
    await page.getByLabel('Plan', { exact: true }).selectOption('developer');
    await submit(page, 'Create');
    await page.getByRole('heading', { level: 1, name: 'initech' }).waitFor();

    await page.getByRole('button', { name: 'Change the plan' }).click();
    await page.getByLabel('Plan', { exact: true }).selectOption('gold');
    await submit(page, 'Change the plan');
    await page.getByText('gold: 500 a second, 2,000 at once').waitFor();

    await page.getByRole('button', { name: 'Set the limit: Creating wallets' }).click();
    await page.getByLabel('Requests a minute').fill('5000');
    await submit(page, 'Set the limit');
    await page.getByText('5,000 requests a minute, set for this account').waitFor();
    await page.getByRole('button', { name: 'Set the limit: Creating wallets' }).click();
    await submit(page, 'Reset to the default');
    await page.getByText('1,000 requests a minute, default of the server').waitFor();

    const credit = async (amount: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add credit' }).click();
      await page.getByLabel('Amount in USD').fill(amount);
      await page.getByLabel('Reference').fill('invoice 7');
      await submit(page, 'Add the credit');
    };
    const amountOf = (title: string) =>
      page
        .getByRole('definition')
        .and(page.locator(`dt:text-is("${title}") + dd`))
        .textContent();
    await credit('25.000001');
    await closed(page);
    expect([await amountOf('Available'), await amountOf('Charged so far')]).toEqual(['$25.000001', '$0.00']);
    await credit('26');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await submit(page, 'Cancel');
    expect(await amountOf('Balance')).toBe('$25.000001');

    await page.getByRole('button', { name: 'Create a set-up link' }).click();
    await submit(page, 'Create the link');
    const link = String(await page.getByRole('dialog').locator('.secret code').textContent());
    await submit(page, 'I have copied it');
    const owner = await open(link);
    await owner.page.getByLabel('Email').fill(world().members.newEmail());
    await owner.page.getByLabel('Your name').fill('Peter');
    await owner.page.getByLabel('New password').fill(PASSWORD);
    await owner.page.keyboard.press('Enter');
    await owner.page.getByText('Account initech').waitFor();
    await visit(owner.page, 'Settings');
    await owner.page.getByRole('link', { name: 'Plan and limits' }).click();
    await owner.page.getByText('500 a second, 2,000 at once').waitFor();

    await visit(page, 'Plans');
    await page.getByRole('button', { name: 'Delete gold' }).click();
    await submit(page, 'Delete the plan');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await submit(page, 'Cancel');
    expect([...complaints, ...owner.complaints]).toEqual([]);
  });

  test('an account asks for limits: one is granted, one refused with a reason, one withdrawn', async () => {
    const { members } = world();
    const owner = await members.newOwner(await members.accountIdOf('asking'));
    const customer = await open('/settings/limits');
    await enter(customer.page, owner.email);
    await customer.page.getByText('No requests').waitFor();
    const ask = async (limit: string, label: string, wanted: string): Promise<void> => {
      await customer.page.getByRole('button', { name: 'Ask for a higher limit' }).click();
      await customer.page.getByLabel('Limit', { exact: true }).selectOption(limit);
      await customer.page.getByLabel(label, { exact: true }).fill(wanted);
      await customer.page.getByLabel('Reason', { exact: true }).fill(`for ${wanted}`);
      await submit(customer.page, 'Send the request');
      await customer.page.getByRole('row', { name: `for ${wanted}` }).waitFor();
    };
    await ask('Plan', 'Name of the plan', 'production');
    await ask('Creating wallets', 'Requests a minute', '7000');
    await ask('Using wallets', 'Requests a second', '300');
    await customer.page.getByRole('button', { name: 'Withdraw the request for 300' }).click();
    await submit(customer.page, 'Withdraw it');
    await customer.page.getByRole('row', { name: 'for 300' }).getByText('withdrawn').waitFor();

    const { page } = await openAsOperator('/operator/requests');
    const row = (wanted: string) => page.getByRole('row', { name: `for ${wanted}` });
    await row('production').getByRole('button', { name: 'Grant' }).click();
    await submit(page, 'Grant the request');
    await closed(page);
    await row('production').waitFor({ state: 'detached' });
    await row('7000').getByRole('button', { name: 'Refuse' }).click();
    await page.getByLabel('Reason', { exact: true }).fill('Ask again in May');
    await submit(page, 'Refuse the request');
    await closed(page);
    await row('7000').waitFor({ state: 'detached' });
    expect(await row('300').count()).toBe(0);

    await customer.page.reload();
    await customer.page.getByRole('row', { name: 'for production' }).getByText('granted').waitFor();
    await customer.page.getByText('Answer: Ask again in May').waitFor();
    await customer.page.getByText('1,000 a second, 5,000 at once').waitFor();
    expect(await customer.page.getByRole('button', { name: 'Withdraw' }).count()).toBe(0);
  });

  test('accounts are found by a part of their name, and an unknown one says so', async () => {
    const { members, server } = world();
    await members.accountIdOf('findable-one');
    await members.accountIdOf('other');
    const { page } = await openAsOperator('/operator/accounts');
    await page.getByRole('link', { name: 'other' }).waitFor();
    await page.getByLabel('Name contains').fill('findable');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'other' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('main').getByRole('row').count()).toBe(2);
    await page.getByLabel('Name contains').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No name contains “nobody”').waitFor();
    await page.goto(`${server.baseUrl}/dashboard/operator/accounts/00000000-0000-4000-8000-000000000000`);
    await page.getByRole('alert').waitFor();
  });

  test('work is announced, a customer sees it, and it is cancelled', async () => {
    const { members } = world();
    const owner = await members.newOwner(await members.accountIdOf('watching'));
    const { page, complaints } = await openAsOperator('/service-level');
    await page.getByText('No work is planned').waitFor();
    await page.getByRole('button', { name: 'Announce work' }).click();
    const start = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 16);
    await page.getByLabel('Start').fill(start);
    await page.getByLabel('Minutes', { exact: true }).fill('60');
    await page.getByLabel('Description').fill('A new disk');
    await submit(page, 'Announce');
    await closed(page);
    await page.getByRole('row', { name: 'A new disk' }).getByText('Does not count towards').waitFor();
    const customer = await open('');
    await enter(customer.page, owner.email);
    await customer.page.getByText('Account watching').waitFor();
    await visit(customer.page, 'Service level');
    await customer.page.getByRole('row', { name: 'A new disk' }).waitFor();
    expect(await customer.page.getByRole('main').getByRole('button').count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel the work: A new disk' }).click();
    await submit(page, 'Cancel the work');
    await page.getByText('No work is planned').waitFor();
    await customer.page.reload();
    await customer.page.getByText('No work is planned').waitFor();
    expect([...complaints, ...customer.complaints]).toEqual([]);
  });

  test('a viewer of the operating account reads, and is offered no change', async () => {
    const viewer = await world().members.newMember(await newOperator(), 'viewer');
    const { page } = await open('/operator/plans');
    await enter(page, viewer.email);
    await page.getByRole('row', { name: 'production' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await visit(page, 'Accounts');
    await page.getByRole('link', { name: 'development' }).click();
    await page.getByRole('heading', { name: 'Money' }).waitFor();
    const names = await page.getByRole('main').getByRole('button').allTextContents();
    expect(names).toEqual(['Copy the account id']);
  });

  test.each(VIEWS)('no barrier, and nothing wider than the screen: $width px, $colorScheme', async (view) => {
    const { email, code } = await newOperator();
    const { page, complaints } = await open('', view);
    await enter(page, email, code);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const pages = [
      { path: 'accounts', seen: page.getByRole('link', { name: 'development' }) },
      { path: 'plans', seen: page.getByRole('row', { name: 'production' }) },
      { path: 'nodes', seen: page.getByRole('row', { name: 'localnet healthy' }) },
      { path: 'requests', seen: page.getByText('No open requests') },
    ];
    const check = async (): Promise<void> => {
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
    };
    for (const { path, seen } of pages) {
      await page.goto(`${world().server.baseUrl}/dashboard/operator/${path}`);
      await seen.waitFor();
      await check();
    }
    await page.goto(`${world().server.baseUrl}/dashboard/operator/accounts`);
    await page.getByRole('link', { name: 'development' }).click();
    await page.getByRole('button', { name: 'Add credit' }).click();
    await page.getByRole('dialog').waitFor();
    await check();
    expect(complaints).toEqual([]);
  });
});
