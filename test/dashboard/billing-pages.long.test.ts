import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { monthsLater, utcMonth } from '../../src/core/utc-month.ts';
import { formatMonth } from '../../src/dashboard/parts/calendar.ts';
import { findBarriers } from './axe.ts';
import { download } from './download.ts';
import { BILLING_ENV, fillBilling, fillCalmAccount, SECOND_MONTH } from './fill-billing.ts';
import { useBilledAccounts } from './use-billed-accounts.ts';
import { VIEWS } from './views.ts';
import { describeMemberPages, expectSound, type MemberPages } from './use-member-pages.ts';

const ACCOUNTS = ['reading', 'changing', 'looking'];
/** Is about to pay from its balance. */
const CALM = 'calm';
/** The cells of tables and sums whose text is wider than they are: it would cover the text next to it. */
const OVERFLOWING = `[...document.querySelectorAll('td, .paper-sums dd')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`;

await describeMemberPages('the pages of billing', billingPages, {
  env: BILLING_ENV,
  fill: async (store) => {
    await fillBilling(store, ACCOUNTS);
    await fillCalmAccount(store, CALM);
  },
});

function billingPages({ world, open }: MemberPages): void {
  const { enter, invoicesOf } = useBilledAccounts(world);

  const textOf = (page: Page, title: string) =>
    page
      .getByRole('definition')
      .and(page.locator(`dt:text-is("${title}") + dd`))
      .textContent();

  test('say how the account pays and what it has to pay; its notices and the recipient of its invoices are changed', async () => {
    const member = await enter('changing');
    const [first, second] = await invoicesOf(member.accountId);
    const { page, complaints } = await open(member, '/usage/billing');
    await page
      .getByText('The account gets an invoice for each month, and may owe up to $5,000.00.')
      .waitFor();
    expect(page.url()).toBe(`${world().server.baseUrl}/dashboard/billing`);
    expect(await textOf(page, 'Balance')).toBe('-$262.200108');
    await page.getByText('Charged this month (UTC): $40.00').waitFor();
    await page.getByText('$262.200108 of $5,000.00, the credit limit').waitFor();
    const open_ = page.getByRole('table', { name: 'Invoices to pay' });
    await open_.getByRole('row', { name: `${second} ${formatMonth(SECOND_MONTH)}` }).waitFor();
    expect(await open_.getByText(first).count()).toBe(0);
    await page.getByText('Together $222.200108').waitFor();

    await page.getByText('When less than $10.00 can be spent.').waitFor();
    await page.getByRole('button', { name: 'Change the notices' }).click();
    const dialog = page.getByRole('dialog', { name: 'Notices of a low balance' });
    await dialog.getByRole('button', { name: 'Add an amount' }).click();
    await page.keyboard.type('10.00');
    await page.keyboard.press('Enter');
    await dialog.getByText('duplicates an earlier amount').waitFor();
    await dialog.getByLabel('Amount 2 in USD').fill('4800');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('When less than $4,800.00, less than $10.00 can be spent.').waitFor();

    await page.getByRole('button', { name: 'Change the recipient' }).click();
    await page.getByLabel('Name and address').fill(' Acme Ltd \n1 Main Street\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    expect(await page.locator('.setting address').textContent()).toBe('Acme Ltd\n1 Main Street');

    await page.getByRole('link', { name: 'Overview', exact: true }).first().click();
    await page.getByText('$4,737.799892 of balance and credit limit is left, less than $4,800.00.').waitFor();
    await page.getByRole('link', { name: 'Billing', exact: true }).first().click();
    await page.getByRole('button', { name: 'Change the notices' }).click();
    for (const at of [2, 1]) await dialog.getByRole('button', { name: `Remove amount ${at}` }).click();
    await dialog.getByText('Without an amount there are no notices.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('None.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('list invoices and statements, and save them; an invoice shows every price, what was given back, and what is left', async () => {
    const member = await enter('reading');
    const [first, second] = await invoicesOf(member.accountId);
    const { page, complaints } = await open(member, '/billing/invoices');
    await page.getByRole('row', { name: new RegExp(`^${first} .* paid \\$200.00 \\$0.00$`) }).waitFor();
    expect((await download(page, 'Download CSV')).text).toContain(`${second},${SECOND_MONTH},`);
    await page.getByRole('link', { name: second }).click();
    const paper = page.getByRole('article', { name: `Invoice ${second}` });
    await paper
      .getByRole('row', { name: 'Managed signing volume price 200,003 $0.00004 $8.00012' })
      .waitFor();
    expect(await paper.locator('address').allTextContents()).toEqual([
      'Example Nodes Ltd\n2 Harbour Road\nTax number 12-345',
      'reading',
    ]);
    await paper.getByText('Credit for availability, 10 %').waitFor();
    expect(await paper.locator('.paper-sums dd').allTextContents()).toEqual([
      ...['$358.00012', '−$35.800012', '$322.200108', '−$100.00', '$222.200108', '$222.200108'],
    ]);
    await paper.getByText('By transfer to IBAN XX00 0000 0000').waitFor();
    const json = await download(page, 'Download JSON');
    expect([json.name, JSON.parse(json.text)]).toMatchObject([
      `${second}.json`,
      { invoice: { number: second, total_usd: '322.200108' }, outstanding_usd: '222.200108' },
    ]);
    expect((await download(page, 'Download CSV')).text).toContain(
      `${second},${SECOND_MONTH},managed_signing,volume,200003,0.00004,8.00012\r\n`,
    );

    await page.goto(`${world().server.baseUrl}/dashboard/billing/statements`);
    const month = formatMonth(SECOND_MONTH);
    await page.getByRole('row', { name: `${month} $100.00 $0.00 $0.00 $358.00012 -$258.00012` }).waitFor();
    expect((await download(page, 'Download CSV')).text).toContain(
      `\r\n${SECOND_MONTH},100.00,0.00,0.00,358.00012,-258.00012,${second},250000,250.00,`,
    );
    await page.getByRole('link', { name: month }).click();
    const statement = page.getByRole('article', { name: 'Statement' });
    await statement.getByRole('row', { name: 'Managed signing 1,200,003 $108.00012' }).waitFor();
    expect(await statement.locator('.paper-sums dd').allTextContents()).toEqual([
      ...['$100.00', '$0.00', '$0.00', '$358.00012', '-$258.00012'],
    ]);
    await statement.getByRole('link', { name: second }).click();
    await paper.waitFor();
    expect(complaints).toEqual([]);
  });

  test('a billing member reads an invoice and is told what verifying needs; others see no money', async () => {
    const billing = await enter('looking', 'billing');
    const [, number] = await invoicesOf(billing.accountId);
    const { page } = await open(billing, `/billing/invoices/${number}`);
    await page.getByText('This needs the audit log (audit:read), which your role cannot read.').waitFor();
    expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0);
    const developer = await open(await enter('looking', 'developer'), '/billing');
    await developer.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await developer.page.getByRole('link', { name: 'Billing' }).count()).toBe(0);
  });

  test('an account that is about to pay from its balance is told on the overview and on its page', async () => {
    const { page } = await open(await enter(CALM), '');
    const last = formatMonth(monthsLater(utcMonth(Date.now()), -1));
    const notice = `${last} cost no more than $1,000.00. If this month does not either, the account pays`;
    await page.getByText(notice).waitFor();
    await page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('link', { name: 'Billing' })
      .click();
    await page.getByRole('region', { name: 'How the account pays' }).getByText(notice).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(2);
  });

  test('with the keyboard alone: to an invoice, and through the dialog of the notices and back to its button', async () => {
    const member = await enter('looking');
    const [, number] = await invoicesOf(member.accountId);
    const { page } = await open(member, '/billing');
    await page.getByText('Invoices to pay').first().waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    const tabTo = async (text: string): Promise<void> => {
      for (let press = 0; press < 60; press += 1) {
        await page.keyboard.press('Tab');
        if ((await focused()) === text) return;
      }
      throw new Error(`the keyboard does not reach ${text}`);
    };
    await tabTo('Change the notices');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Add an amount');
    await page.keyboard.press('Space');
    await page.keyboard.type('20');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually('the focus is back', async () =>
      (await focused()) === 'Change the notices' ? true : undefined,
    );
    await page.locator('body').press('Home');
    await page.reload();
    await page.getByText('Invoices to pay').first().waitFor();
    await tabTo(number);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: `Invoice ${number}` }).waitFor();
    for (const name of ['Download JSON', 'Download CSV', 'Print', 'All invoices']) {
      await tabTo(name);
      expect(await focused()).toBe(name);
    }
  });

  test.each(VIEWS)(
    'no barrier, nothing too wide, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const member = await enter('looking');
      const [, number] = await invoicesOf(member.accountId);
      const { page, complaints } = await open(member, '/billing', view);
      const { baseUrl } = world().server;
      const shown = process.env.KEYSLOT_IMAGES;
      const pages = [
        ['', '.billing-pair'],
        ['/invoices', `a:text-is("${number}")`],
        [`/invoices/${number}`, '.paper'],
        ['/statements', `a:text-is("${formatMonth(SECOND_MONTH)}")`],
        [`/statements/${SECOND_MONTH}`, '.paper'],
        ['/entries', '.table-area tbody tr:not([aria-hidden])'],
      ] as const;
      for (const [path, seen] of pages) {
        await page.goto(`${baseUrl}/dashboard/billing${path}`);
        await page.locator(seen).first().waitFor();
        await expectSound(page);
        expect([path, await page.evaluate(OVERFLOWING)]).toEqual([path, []]);
        if (shown === undefined) continue;
        const name = `billing${path.replaceAll('/', '-')}-${view.width}-${view.colorScheme}`;
        await page.screenshot({ path: `${shown}/${name}.png`, fullPage: true });
      }
      await page.goto(`${baseUrl}/dashboard/billing`);
      for (const name of ['Change the notices', 'Change the recipient']) {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').waitFor();
        expect(await findBarriers(page)).toEqual([]);
        await page.keyboard.press('Escape');
      }
      expect(complaints).toEqual([]);
    },
  );
}
