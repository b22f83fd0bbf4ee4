import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { sessionCookieName } from '../../src/server/rest/session-cookie.ts';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { type MemberServer, startMemberServer } from '../account/api/sessions/member-server.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { findBarriers } from './axe.ts';
import { openDashboard } from './open-dashboard.ts';

const executable = findChromium();
const postgres = await findPostgres();

if (executable === undefined) test('the dashboard of a server', (context) => context.skip(CHROMIUM_MISSING));
else if (postgres === undefined)
  test('the dashboard of a server', (context) => context.skip(POSTGRES_MISSING));
else describe('the dashboard of a server', () => served(executable, postgres));

function served(chromium: string, postgresUrl: string): void {
  let browser: Browser;
  let world: MemberServer;

  beforeAll(async () => {
    [browser, world] = await Promise.all([startChromium(chromium), startMemberServer(postgresUrl)]);
  });

  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => openDashboard(browser, `${world.server.baseUrl}/dashboard${path}`);

  const newKey = async (page: Page, name: string): Promise<string> => {
    await page.getByRole('link', { name: 'Keys and tokens' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.keyboard.press('Enter');
    const secret = page.getByRole('dialog').locator('.secret code');
    return String(await secret.textContent());
  };

  /** The HTTP status that the ledger answers a key with. */
  const statusOf = async (key: string): Promise<number> => {
    const address = new URL(world.server.rpcUrl);
    address.searchParams.set('apikey', key);
    const body = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
    const headers = { 'content-type': 'application/json' };
    return (await fetch(address, { method: 'POST', headers, body })).status;
  };

  test('from a set-up link to a key that works: the programs that are shown run as they are copied', async () => {
    const token = await world.members.newSetupToken();
    const { page, complaints } = await open(`/setup#token=${token}`);
    await page.getByLabel('Email').fill(world.members.newEmail());
    await page.getByLabel('Your name').fill('Ann');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const key = await newKey(page, 'checkout');
    expect(await statusOf(key)).toBe(200);
    const dialog = page.getByRole('dialog');
    const run = promisify(execFile);
    await dialog.getByLabel('With').selectOption('curl');
    const { stdout } = await run('sh', ['-c', String(await dialog.locator('pre').textContent())]);
    expect(JSON.parse(stdout)).toMatchObject({ result: expect.any(Number) });
    await dialog.getByLabel('With').selectOption('Python');
    const printed = await run('python3', ['-c', String(await dialog.locator('pre').textContent())]);
    expect(printed.stdout).toMatch(/^\d+\n$/);
    for (const client of ['@solana/kit', '@solana/web3.js 1.x']) {
      await dialog.getByLabel('With').selectOption(client);
      const program = String(await dialog.locator('pre').textContent());
      const { stdout: slot } = await run(process.execPath, ['--input-type=module', '-e', program]);
      expect([client, slot]).toEqual([client, expect.stringMatching(/^\d+n?\n$/)]);
    }
    expect(complaints).toEqual([]);
  });

  test('the overview shows the slots of a network as they come, over credentials that no storage holds', async () => {
    const login = await world.members.newOwner(await world.members.accountIdOf('watching'));
    const { page, complaints } = await open('');
    await page.getByLabel('Email').fill(login.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const slot = page.locator('.live-slot .number');
    const first = String(await slot.textContent());
    await eventually('another slot', async () => ((await slot.textContent()) === first ? undefined : true));
    expect(first).toMatch(/^[\d,]+$/);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).toBe('[{},{},""]');
    expect(complaints).toEqual([]);
  });

  test('a key is limited to reads: mistakes are at their fields, and the differences come before they are saved', async () => {
    const login = await world.members.newOwner(await world.members.accountIdOf('limiting'));
    const { page, complaints } = await open('');
    await page.getByLabel('Email').fill(login.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const key = await newKey(page, 'shaped');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Edit shaped' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit shaped' });
    await dialog.getByRole('button', { name: 'Review changes' }).click();
    await dialog.getByText('Nothing is different yet.').waitFor();

    await dialog.getByLabel('Send transactions').check();
    await dialog.getByLabel('Single methods').fill('getbalance');
    await dialog.getByLabel('Requests per second').fill('2147483647');
    await dialog.getByLabel('End date').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Review changes' }).click();
    const faultOf = async (label: string) => {
      const note = await dialog.getByLabel(label).getAttribute('aria-describedby');
      return dialog.locator(`[id="${note}"]`).textContent();
    };
    await dialog.getByText('getbalance must be read, send').waitFor();
    expect(await faultOf('Single methods')).toContain(
      'getbalance must be read, send, subscribe, or the name',
    );
    expect(await faultOf('Requests per second')).toMatch(/^must be at most \d+, as the plan \w+ allows\.$/);
    expect(await faultOf('End date')).toBe('must be in the future.');
    expect(await dialog.textContent()).not.toContain('allowed_methods');

    await dialog.getByLabel('Single methods').fill('getBalance');
    await dialog.getByLabel('Requests per second').fill('5');
    await dialog.getByLabel('End date').fill('2099-01-01');
    await dialog.getByRole('button', { name: 'Review changes' }).click();
    const table = dialog.getByRole('table', { name: 'What changes' });
    await table.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const rows = await table.getByRole('row').allTextContents();
    expect(rows).toHaveLength(4);
    for (const [index, words] of [
      'May call.*any.*send, getBalance',
      '.*as the plan.*5',
      'never.*2099',
    ].entries())
      expect(rows[index + 1]).toMatch(new RegExp(words));
    expect(await statusOf(key)).toBe(200);
    await dialog.getByRole('button', { name: 'Back' }).click();
    expect(await dialog.getByLabel('Single methods').inputValue()).toBe('getBalance');
    await dialog.getByRole('button', { name: 'Review changes' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'shaped' }).getByText('5 a second').waitFor();
    expect(await statusOf(key)).toBe(403);

    await page.getByRole('button', { name: 'Edit shaped' }).click();
    await dialog.getByLabel('Send transactions').uncheck();
    await dialog.getByLabel('Single methods').fill('');
    await dialog.getByRole('button', { name: 'Review changes' }).click();
    await table.waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await statusOf(key)).toBe(200);
    expect(complaints).toEqual([]);
  });

  test('a link that was used says so', async () => {
    const { page } = await open('/setup#token=ks_set_unknown');
    await page.getByLabel('Email').fill(world.members.newEmail());
    await page.getByLabel('Your name').fill('Ann');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('The link was used or has expired').waitFor();
  });

  test('an invited member signs in at once, and sees what a viewer may', async () => {
    const owner = await world.members.newOwner(await world.members.accountIdOf('inviting'));
    const { token } = await world.members.newInvitation(owner);
    const { page } = await open(`/invitation#token=${token}`);
    await page.getByLabel('Your name').fill('Bob');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Keys and tokens' }).click();
    await page.getByText('No keys yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
  });

  test('a change that wants a fresh second factor asks for a code, and is then made', async () => {
    const login = await world.members.newOwner(await world.members.accountIdOf('with factor'));
    const { backupCodes } = await world.members.newFactorSession(login);
    const [first = '', second = ''] = backupCodes;
    const { page, complaints } = await open('');
    await page.getByLabel('Email').fill(login.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Code').fill(first);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const old = await newKey(page, 'checkout');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name === sessionCookieName('http://localhost'))?.value ?? '';
    await world.members.setFresh(session, null);
    await page.getByRole('button', { name: 'Rotate checkout' }).click();
    await page.getByLabel('The old key stops working').selectOption('At once');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm your second factor' });
    await confirm.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await confirm.getByText('The code is wrong').waitFor();
    await confirm.getByLabel('Code').fill(second);
    await page.keyboard.press('Enter');
    const renewed = page.getByRole('dialog', { name: 'Your key checkout' }).locator('.secret code');
    expect(await statusOf(String(await renewed.textContent()))).toBe(200);
    expect(await statusOf(old)).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('signing out ends the session on the server', async () => {
    const login = await world.members.newOwner(await world.members.accountIdOf('leaving'));
    const { page } = await open('');
    await page.getByLabel('Email').fill(login.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
}
