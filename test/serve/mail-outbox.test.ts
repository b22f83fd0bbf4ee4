import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { lowBalances, setBalanceNotices } from '../../src/account/billing/invoices/balance-notices.ts';
import { eventually } from '../../src/core/eventually.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { startBilling } from '../../src/serve/start-billing.ts';
import { startMail } from '../../src/account/email/start-mail.ts';
import { balanceNotices } from '../../src/store/billing-tables.ts';
import { outgoingMails } from '../../src/store/mail-tables.ts';
import { logins, members } from '../../src/store/member-tables.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { pay } from '../account/billing/books/books.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { newInstallationKey } from '../account/test-installation-key.ts';
import { describeStores, SILENT } from '../store/backends.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const USD = 1_000_000n;
const HOUR = 3_600_000;

describeStores('a notice of a server whose mail server is down', (backend) => {
  const store = backend.emptied();

  /** An account that can spend less than it wants to have, with an owner and a developer. */
  async function lowAccount(): Promise<string> {
    const accountId = await newCustomer(store());
    for (const role of ['owner', 'developer'] as const) {
      const [userId, at] = [randomUUID(), new Date(NOW_MS)];
      const login = { name: role, email: `${role}@example.com`, emailVerified: true };
      await store()
        .db.insert(logins)
        .values({ id: userId, ...login, createdAt: at, updatedAt: at });
      await store().db.insert(members).values({ id: randomUUID(), accountId, userId, role, createdAt: at });
    }
    await pay(store(), accountId, 5n * USD);
    await store().transaction((tx) => setBalanceNotices(tx, accountId, [20n * USD]));
    return accountId;
  }

  test('is emailed to its recipients once it is up again, by another process', async () => {
    const script: { refusal?: string } = { refusal: '451 4.3.0 later' };
    const decoded = (text: string | undefined) => text?.replaceAll('=\r\n', '');
    await using smtp = await startSmtpServer(script);
    const config = loadConfig({
      env: {
        KEYSLOT_MAIL_FROM: 'keyslot@example.com',
        KEYSLOT_MAIL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      },
    });
    const installationKey = await newInstallationKey();
    const clock = { now: NOW_MS, nowMs: () => clock.now };
    const counts: string[] = [];
    const open = async () => {
      const mail = await startMail({
        config,
        store: store(),
        clock,
        log: SILENT,
        members: { store: store() },
        account: { installationKey, ownerId: randomUUID() },
        metrics: {
          count: (kind, outcome) => void counts.push(`${kind} ${outcome}`),
          setWaiting: () => undefined,
        },
        baseUrl: async () => 'https://keyslot.example',
      });
      if (mail === undefined) throw new Error('there are settings');
      return mail;
    };
    await lowAccount();
    const first = await open();
    const billing = startBilling({ config, store: store(), mail: first, clock, log: SILENT });
    const [row] = await eventually('the mail was tried', async () => {
      const rows = await store().db.select().from(outgoingMails);
      return rows.some(({ attempts }) => attempts > 0) ? rows : undefined;
    });
    expect(row).toMatchObject({ kind: 'billing', attempts: 1 });
    await billing.close();
    await first.close();
    expect(smtp.mails).toEqual([]);
    delete script.refusal;
    clock.now += HOUR;
    const second = await open();
    const [mail] = await eventually('the mail is there', () =>
      smtp.mails.length > 0 ? smtp.mails : undefined,
    );
    await eventually('the outbox is empty', async () =>
      (await store().db.select().from(outgoingMails)).length === 0 ? true : undefined,
    );
    await second.close();
    expect(smtp.mails).toHaveLength(1);
    expect([mail?.to, decoded(mail?.text)]).toEqual([
      ['owner@example.com'],
      expect.stringContaining('can spend 5.00 USD'),
    ]);
    expect(counts).toEqual(['billing failed', 'billing sent']);
  });

  test('is not recorded as told while its mail cannot be stored', async () => {
    const accountId = await lowAccount();
    const { work } = lowBalances(store(), async () => {
      throw new Error('the store is full');
    });
    await expect(work({ accountId }, NOW_MS)).rejects.toThrow('the store is full');
    expect(await store().db.select().from(balanceNotices)).toMatchObject([{ isArmed: true }]);
    expect(await store().db.select().from(auditRecords)).toEqual([]);
  });
});
