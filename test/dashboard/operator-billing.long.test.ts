import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import type { Role } from '../../src/account/identity/members/sessions.ts';
import { command } from '../support/wallet-account.ts';
import { download } from './download.ts';
import { BILLING_ENV, fillAccountInNeed, fillBilling } from './fill-billing.ts';
import { readPdf } from './read-pdf.ts';
import { useBilledAccounts } from './use-billed-accounts.ts';
import { VIEWS } from './views.ts';
import { describeMemberPages, expectSound, type MemberPages } from './use-member-pages.ts';

const ACCOUNTS = ['owing', 'owing-too', 'looked-at'] as const;
const IN_NEED = 'growing';
const OPERATOR = 'operator';

await describeMemberPages('the money of accounts, for operators', operatorPages, {
  env: BILLING_ENV,
  fill: async (store) => {
    await fillBilling(store, ACCOUNTS);
    await fillAccountInNeed(store, IN_NEED);
  },
});

function operatorPages({ world, open }: MemberPages): void {
  /** A member of the account that operates the server; an owner has a second factor that is not fresh. */
  const enter = async (role: Role = 'owner') => {
    const { members, server } = world();
    const accountId = await members.accountIdOf(OPERATOR);
    await command(server.dataDir, { kind: 'accounts.operator', account: OPERATOR, operates: true });
    const owner = await members.newOwner(accountId);
    if (role !== 'owner')
      return { token: await members.newSession(await members.newMember(owner, role)), code: '' };
    const { token, backupCodes } = await members.newFactorSession(owner);
    await members.setFresh(token, null);
    return { token, code: String(backupCodes[0]) };
  };

  const { invoicesOf } = useBilledAccounts(world);
  const invoiceOf = async (account: (typeof ACCOUNTS)[number]): Promise<string> =>
    (await invoicesOf(await world().members.accountIdOf(account)))[1];

  const submit = async (page: Page, name: string): Promise<void> =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  /** Answers the dialog that asks for a fresh second factor. */
  const confirm = async (page: Page, code: string): Promise<void> => {
    await page.getByRole('dialog', { name: 'Confirm your second factor' }).getByLabel('Code').fill(code);
    await page.keyboard.press('Enter');
  };

  const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' });

  test('an account that needs a credit limit is on the overview and marked in the list, until it has one', async () => {
    const { token, code } = await enter();
    const { page, complaints } = await open({ token }, '');
    const needs = page.getByText(/^1 account needs a credit limit:/);
    await eventually('the server has noticed the account', async () => {
      await page.reload();
      await page.getByRole('heading', { name: 'Networks' }).waitFor();
      return (await needs.count()) > 0 ? true : undefined;
    });
    await page
      .getByRole('listitem')
      .filter({ has: needs })
      .getByRole('link', { name: 'Look at them' })
      .click();
    const row = page.getByRole('row', { name: IN_NEED });
    await row.getByText('needs a credit limit').waitFor();
    expect(await page.getByRole('main').getByRole('row').count()).toBe(2);
    await page.getByLabel('Show', { exact: true }).selectOption('All');
    await page.getByRole('row', { name: 'looked-at' }).waitFor();
    await row.getByRole('link').click();
    await page.getByText('It was charged more than the invoice threshold this month').waitFor();
    await page.getByText('$1,000.0004 of $1,000.00, the invoice threshold').waitFor();

    await page.getByRole('button', { name: 'Set how it pays' }).click();
    await page.getByLabel('Always by invoice').check();
    await page.getByLabel('Credit limit in USD').fill('0');
    await submit(page, 'Set how it pays');
    await confirm(page, code);
    await page.getByRole('dialog').getByRole('alert').getByText('credit_limit_usd').waitFor();
    await page.getByLabel('By volume').check();
    await page.getByLabel('Credit limit in USD').fill('2500');
    await submit(page, 'Set how it pays');
    await closed(page);
    await page.getByText('By invoice', { exact: true }).waitFor();
    await page.getByText('$2,500.00', { exact: true }).waitFor();
    expect(await page.getByText('It was charged more than the invoice threshold').count()).toBe(0);
    await page.getByRole('link', { name: 'All accounts' }).click();
    await page.getByLabel('Show', { exact: true }).selectOption('Needing a credit limit');
    await page.getByText('No account needs a credit limit').waitFor();
    expect(complaints).toEqual([]);
  });

  test('invoices of all accounts are found by account; a credit note and a payment are booked, each once', async () => {
    const number = await invoiceOf('owing');
    const { token, code } = await enter();
    const { page, complaints } = await open({ token }, '/operator/invoices');
    await page.getByRole('row', { name: `${number} owing` }).waitFor();
    await page.getByLabel('Account name').fill('owing');
    await page.keyboard.press('Enter');
    await page.getByText('Invoices of owing').waitFor();
    await page.getByRole('row', { name: 'looked-at' }).first().waitFor({ state: 'detached' });
    expect(page.url()).toContain('?account=');
    expect((await download(page, 'Download CSV')).text.trimEnd().split('\r\n')).toHaveLength(3);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Account name').fill('wing-');
    await page.keyboard.press('Enter');
    await page.getByText('Invoices of owing-too').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Account name').fill('win');
    await page.keyboard.press('Enter');
    await page.getByText('Several names contain “win”:').waitFor();
    await page.getByRole('button', { name: 'owing', exact: true }).click();
    await page.getByRole('link', { name: number }).click();

    const paper = page.getByRole('article', { name: `Invoice ${number}` });
    const note = async (amount: string): Promise<void> => {
      await page.getByRole('button', { name: 'Issue a credit note' }).click();
      await page.getByText('at most $').waitFor();
      await page.getByLabel('Amount in USD').fill(amount);
      await page.getByLabel('Reason').fill('Signatures of a test run');
      await page.getByLabel('Reference').fill('ticket 118');
      await submit(page, 'Issue the credit note');
    };
    await note('22.20');
    await confirm(page, code);
    await closed(page);
    await paper.getByText(/^CN-\d{6}, .*Signatures of a test run$/).waitFor();
    await paper.getByText('$200.000108', { exact: true }).waitFor();
    await note('22.20');
    await closed(page);
    await note('22.21');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await submit(page, 'Cancel');
    expect(await paper.getByText(/^CN-/).count()).toBe(1);

    const pay = async (amount?: string): Promise<void> => {
      await page.getByRole('button', { name: 'Book a payment' }).click();
      if (amount !== undefined) await page.getByLabel('Amount in USD').fill(amount);
      await page.getByLabel('Reference of the payment').fill('bank 4711');
      await submit(page, 'Book the payment');
    };
    await pay();
    await closed(page);
    await paper.getByText('Paid since').waitFor();
    await paper.getByText('paid', { exact: true }).waitFor();
    await pay('200.000108');
    await page.getByRole('alert').getByText('This payment was already booked').waitFor();
    await submit(page, 'Cancel');
    const [printed] = readPdf(await page.pdf({ format: 'A4' }));
    expect(printed?.text).toMatch(
      /Credit notes CN-\d+, .* Signatures of a test run −\$22\.20 Paid since −\$200\.000108/,
    );
    expect(printed?.text).not.toMatch(/Issue a credit note|Book a payment/);

    await page.getByRole('link', { name: 'Account owing' }).click();
    await page
      .getByRole('row', { name: new RegExp(`^${number} .* paid \\$322\\.200108 \\$0\\.00$`) })
      .waitFor();
    await page.getByText('-$40.00', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a viewer of the operating account reads invoices, and is offered no change', async () => {
    const number = await invoiceOf('looked-at');
    const { page } = await open(await enter('viewer'), `/operator/invoices/${number}`);
    await page.getByRole('article', { name: `Invoice ${number}` }).waitFor();
    const names = await page.getByRole('main').getByRole('button').allTextContents();
    expect(names).toEqual(['Download JSON', 'Download CSV', 'Print']);
  });

  test.each(VIEWS)(
    'no barrier, nothing too wide, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const number = await invoiceOf('looked-at');
      const { token } = await enter();
      const { page, complaints } = await open({ token }, '/operator/invoices', view);
      await page.getByRole('row', { name: number }).waitFor();
      await expectSound(page);
      await page.getByRole('link', { name: number }).click();
      await page.getByRole('article', { name: `Invoice ${number}` }).waitFor();
      await expectSound(page);
      for (const name of ['Issue a credit note', 'Book a payment']) {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').waitFor();
        await expectSound(page);
        await page.keyboard.press('Escape');
        await closed(page);
      }
      await page.getByRole('link', { name: 'Account looked-at' }).click();
      await page.getByRole('row', { name: number }).waitFor();
      await expectSound(page);
      await page.getByRole('button', { name: 'Set how it pays' }).click();
      await page.getByRole('dialog').waitFor();
      await expectSound(page);
      expect(complaints).toEqual([]);
    },
  );
}
