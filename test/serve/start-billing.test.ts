import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { ToldMembers } from '../../src/account/email/member-mail.ts';
import { setBalanceNotices } from '../../src/account/billing/invoices/balance-notices.ts';
import { setTerms } from '../../src/account/billing/invoices/set-terms.ts';
import { createMoney } from '../../src/account/billing/books/money.ts';
import { eventually } from '../../src/core/eventually.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { startBilling } from '../../src/serve/start-billing.ts';
import { eq } from '../../src/store/drizzle.ts';
import { accounts } from '../../src/store/tables.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { charge } from '../account/billing/invoices/billed-account.ts';
import { pay } from '../account/billing/books/books.ts';
import { describeStores, SILENT } from '../store/backends.ts';

const USD = 1_000_000n;

describeStores('a server', (backend) => {
  const store = backend.emptied();

  function start() {
    const told: ToldMembers[] = [];
    const mail = { tellMembers: async (_tx: unknown, one: ToldMembers) => void told.push(one) };
    const { billing: config } = loadConfig({ env: {} });
    const clock = { nowMs: () => NOW_MS };
    const billing = startBilling({ config: { billing: config }, store: store(), mail, clock, log: SILENT });
    onTestFinished(billing.close);
    const mails = () =>
      told.map(({ accountId, roles, mailOf }) => ({
        accountId,
        roles: [...roles],
        ...mailOf('ann@example.com', 'acme'),
      }));
    return { billing, mails };
  }

  test('tells owners and billing members that the balance runs low', async () => {
    const accountId = await newCustomer(store());
    await pay(store(), accountId, 30n * USD);
    await store().transaction((tx) => setBalanceNotices(tx, accountId, [20n * USD]));
    await charge(store(), { accountId, operation: 'wallet_creation', units: 15_000, nowMs: NOW_MS });
    const { mails } = start();
    const [mail] = await eventually('a mail is sent', () => (mails().length > 0 ? mails() : undefined));
    expect(mail).toMatchObject({
      accountId,
      roles: ['owner', 'billing'],
      to: 'ann@example.com',
      subject: 'The account acme can spend less than 20.00 USD',
    });
    expect(mail?.text).toContain('can spend 15.00 USD.');
  });

  test('tells the accounts that operate it of one without a credit limit, and an account that it is invoiced', async () => {
    const { billing, mails } = start();
    const accountId = await newCustomer(store());
    const operatorId = await newCustomer(store());
    await store().db.update(accounts).set({ operates: true }).where(eq(accounts.id, operatorId));
    await pay(store(), accountId, 2_000n * USD);
    await store().transaction((tx) =>
      createMoney({ ownerId: randomUUID() }).chargeNow(tx, {
        accountId,
        operation: 'wallet_creation',
        units: 1_000_001,
        nowMs: NOW_MS,
      }),
    );
    expect(await billing.payLater(accountId)).toBe(false);
    const toOperators = await eventually('operators are told', () =>
      mails().find((mail) => mail.accountId === operatorId),
    );
    expect(toOperators.text).toContain(`keyslot billing ${accountId} --by-volume --credit-limit USD`);
    await store().transaction((tx) =>
      setTerms(tx, { accountId, mode: 'prepaid', creditLimit: 0n, nowMs: NOW_MS }),
    );
    expect(await billing.payLater(accountId)).toBe(false);
    expect(mails().filter((mail) => mail.accountId === accountId)).toEqual([]);
  });
});
