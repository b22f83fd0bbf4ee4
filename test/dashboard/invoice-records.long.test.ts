import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, test } from 'vitest';
import { issueCreditNote } from '../../src/account/billing/invoices/issue-credit-note.ts';
import { eventually } from '../../src/core/eventually.ts';
import { formatMonth } from '../../src/dashboard/parts/calendar.ts';
import { findBarriers } from './axe.ts';
import { download } from './download.ts';
import { BILLING_ENV, fillBilling, SECOND_MONTH } from './fill-billing.ts';
import { readPdf } from './read-pdf.ts';
import { useBilledAccounts } from './use-billed-accounts.ts';
import { describeMemberPages, type MemberPages } from './use-member-pages.ts';

/** Heads are signed a minute after a record. */
const HEAD_MS = 100_000;

const run = promisify(execFile);

await describeMemberPages('an invoice on paper and against its records', invoicePages, {
  env: BILLING_ENV,
  fill: (store) => fillBilling(store, ['printing', 'verifying']),
});

function invoicePages({ world, open }: MemberPages): void {
  const { enter, invoicesOf } = useBilledAccounts(world);

  test('an invoice prints alone, black on white, on A4 and Letter, and no row is cut in two', async () => {
    const member = await enter('printing');
    const [, number] = await invoicesOf(member.accountId);
    const { page } = await open(member, `/billing/invoices/${number}`, { colorScheme: 'dark' });
    const paper = page.getByRole('article', { name: `Invoice ${number}` });
    await paper.waitFor();
    const [only, ...others] = readPdf(await page.pdf({ format: 'A4' }));
    expect(others).toEqual([]);
    expect(only?.size.map(Math.round)).toEqual([596, 843]);
    expect(only?.text).toMatch(new RegExp(`^Page 1 of 1 Invoice ${number} From Example Nodes Ltd`));
    expect(only?.text).toMatch(/Managed signing volume price 200,003 \$0\.00004 \$8\.00012/);
    expect(only?.text).toMatch(/Left to pay .*\$222\.200108 How to pay .*this invoice\.$/);
    expect(only?.text).not.toMatch(/Download|All invoices|Sign out|Verify|to pay From/);
    for (const color of only?.colors ?? ['none']) expect(new Set(color.split(' ')).size).toBe(1);

    const { store } = world().members;
    const reasonOf = (at: number): string => `correction ${at} of many`;
    for (let at = 0; at < 40; at += 1)
      await store.transaction((tx) =>
        issueCreditNote(tx, {
          invoiceNumber: number,
          amount: 1_000_000n + BigInt(at),
          reason: reasonOf(at),
          reference: String(at),
          nowMs: Date.now(),
        }),
      );
    await page.reload();
    await paper.getByText(reasonOf(39)).waitFor();
    const pages = readPdf(await page.pdf({ format: 'Letter' }));
    expect(pages.map(({ size }) => size.map(Math.round))).toEqual(pages.map(() => [612, 792]));
    expect(pages.length).toBeGreaterThan(1);
    for (let at = 0; at < 40; at += 1) {
      const amount = `−$1.${String(at)
        .padStart(6, '0')
        .replace(/0{1,4}$/, '')}`;
      const row = new RegExp(
        `CN-\\d+, \\w+ \\d+, \\d{4} ${reasonOf(at)} ${amount.replaceAll(/[.$]/g, '\\$&')}`,
      );
      const whole = pages.filter(({ text }) => row.test(text));
      expect([at, whole.length]).toEqual([at, 1]);
    }
    expect(pages.at(-1)?.text).toMatch(/^Page (\d) of \1 .*Left to pay /);
  });

  test('an invoice is recomputed in the browser and, from the file with its records, without the server; what was changed is named', {
    timeout: HEAD_MS + 60_000,
  }, async () => {
    const member = await enter('verifying');
    const [, number] = await invoicesOf(member.accountId);
    const { page, complaints } = await open(member, `/billing/invoices/${number}`);
    const verify = page.getByRole('button', { name: 'Verify' });
    await verify.click();
    const sound = page.getByText(`${number} matches its records.`);
    await eventually(
      'the records of the invoice are signed',
      async () => {
        await verify.click();
        await page.locator('form .notice').waitFor();
        return (await sound.count()) > 0 ? true : undefined;
      },
      { timeoutMs: HEAD_MS, intervalMs: 2_000 },
    );
    await page
      .getByText(`$358.00012 were charged in ${formatMonth(SECOND_MONTH)}, of which $35.800012 are refunded`)
      .waitFor();
    await page.getByText('It is the document that was issued, to the letter.').waitFor();
    await page
      .getByText(
        /^managed_signing: 0\.0001 USD, 0\.00004 USD above 1000000 units a month, for \d+ units from record/,
      )
      .waitFor();
    const key = String(await page.locator('form .copyable code').textContent());
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    await page.getByLabel('Public key that the operator published').fill(key.toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByText('The heads are signed with the public key that you gave.').waitFor();
    await page.getByLabel('Public key that the operator published').fill('0'.repeat(64));
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(`The records of ${number} are signed with another key.`)
      .waitFor();
    await page.getByRole('alert').getByText(`A head is signed with ${key}, which is not a key`).waitFor();

    const file = await download(page, 'Download with records');
    expect(file.name).toBe(`${number}.bill.jsonl`);
    await page.getByText(/^\d+ lines saved\./).waitFor();
    const verified = await run(process.execPath, [
      'src/main.ts',
      'bill',
      'verify',
      file.path,
      '--public-key',
      key,
    ]);
    expect(verified.stdout).toContain(`${number} matches its records: 358.00012 USD were charged`);

    await changeCharge(world().databaseUrl, member.accountId);
    await page.getByLabel('Public key that the operator published').fill('');
    await verify.click();
    await page.getByRole('alert').getByText(`${number} does not match its records.`).waitFor();
    await page.getByText(/^Record \d+ was changed: its hash is /).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
}

/** Changes a charge as an owner of the database can, past the trigger that keeps records from being changed. */
async function changeCharge(databaseUrl: string, accountId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    const { rowCount } = await client.query(
      `update keyslot.audit_records set charges = replace(charges, '1200003', '1200002')
       where account_id = $1 and charges like '%1200003%'`,
      [accountId],
    );
    expect(rowCount).toBe(1);
  } finally {
    await client.end();
  }
}
