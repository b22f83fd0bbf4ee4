import { expect, test } from 'vitest';
import { describeProblem } from '../../../../runtime/describe-bill-problem.ts';
import { documentDigest } from '../../../../src/account/billing/invoices/document-digest.ts';
import { issueCreditNote } from '../../../../src/account/billing/invoices/issue-credit-note.ts';
import { listInvoices, readInvoice } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { readStatements } from '../../../../src/account/billing/invoices/read-statements.ts';
import { showCreditNote } from '../../../../src/account/billing/invoices/show-credit-note.ts';
import { appendAudits } from '../../../../src/account/audit/append-audit.ts';
import { listAudit } from '../../../../src/account/audit/list-audit.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { invoices } from '../../../../src/store/billing-tables.ts';
import { eq, sql } from '../../../../src/store/drizzle.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer } from '../../new-customer.ts';
import { provedBut, signHeads, verifyInvoice } from './billed-account.ts';
import { CLOSING, HOUR, inOctober, NOVEMBER, OCTOBER, SEPTEMBER, USD } from './october.ts';

describeStores('the invoice of a month', (backend) => {
  const store = backend.emptied();

  const { customer, invoiced, charged, deposit, close } = inOctober(store);

  test('has a line for each price of what was charged, and is what its signed records come to', async () => {
    const accountId = await invoiced();
    await deposit(accountId, 300n * USD);
    await charged(accountId, 'managed_signing', 999_999);
    await charged(accountId, 'managed_signing', 3);
    await charged(accountId, 'wallet_creation', 250_000);
    await charged(accountId, 'hd_master_creation', 2);
    await charged(accountId, 'managed_signing', 5, NOVEMBER + 1);
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER });
    const notices = await close();
    expect(notices).toEqual([
      { kind: 'invoice', accountId, number: 'INV-000001', due: 50n * USD + 80n, dueOn: '2025-12-01' },
    ]);
    const { invoice, outstanding } = await readInvoice(store().db, { number: 'INV-000001', accountId });
    expect(invoice).toEqual({
      number: 'INV-000001',
      account_id: accountId,
      account_name: accountId,
      month: '2025-10',
      issued_at: '2025-11-01T00:10:00.000Z',
      due_on: '2025-12-01',
      currency: 'USD',
      seller: 'Seller',
      recipient: '',
      payment_note: 'By transfer',
      lines: [
        line('wallet_creation', 'standard', 250_000, '0.001', '250.00'),
        line('managed_signing', 'standard', 1_000_000, '0.0001', '100.00'),
        line('managed_signing', 'volume', 2, '0.00004', '0.00008'),
        line('hd_master_creation', 'standard', 2, '0.00', '0.00'),
      ],
      charged_usd: '350.00008',
      availability_percent: '100.0000',
      service_credit_percent: 0,
      service_credit_usd: '0.00',
      total_usd: '350.00008',
      paid_usd: '300.00',
      due_usd: '50.00008',
      from_seq: 1,
    });
    expect(outstanding).toBe(50n * USD + 80n);
    await signHeads(store(), CLOSING);
    expect(await verifyInvoice(store(), 'INV-000001')).toMatchObject({
      records: 6,
      heads: 1,
      problems: [],
      billed: { charged: 350n * USD + 80n, serviceCredit: 0n },
    });
  });

  test('gives back a tenth for an hour without service, once, however often the month is closed', async () => {
    const accountId = await invoiced();
    await charged(accountId, 'managed_signing', 777_777);
    const fromMs = OCTOBER + 12 * HOUR;
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER }, { fromMs, untilMs: fromMs + HOUR });
    await Promise.all([close(), close(), close()]);
    await close(CLOSING + HOUR);
    const { invoice } = await readInvoice(store().db, { number: 'INV-000001' });
    expect(invoice).toMatchObject({
      charged_usd: '77.7777',
      availability_percent: '99.8655',
      service_credit_percent: 10,
      service_credit_usd: '7.77777',
      total_usd: '69.99993',
      due_usd: '69.99993',
    });
    expect(await readBalance(store(), accountId, CLOSING)).toMatchObject({
      balance: -69_999_930n,
      charged: 69_999_930n,
    });
    expect(await store().db.select().from(invoices)).toHaveLength(1);
    await signHeads(store(), CLOSING);
    const verdict = await verifyInvoice(store(), 'INV-000001');
    expect(verdict).toMatchObject({
      problems: [],
      billed: { serviceCredit: 7_777_770n, total: 69_999_930n },
    });
  });

  test('is not issued to an account that pays from its balance, which gets the credit all the same', async () => {
    const accountId = await customer();
    await deposit(accountId, 20n * USD);
    await charged(accountId, 'wallet_creation', 10_000);
    await provedBut(
      store(),
      { fromMs: SEPTEMBER, untilMs: NOVEMBER },
      { fromMs: OCTOBER + HOUR, untilMs: OCTOBER + 9 * HOUR },
    );
    expect(await close()).toEqual([]);
    expect(await readBalance(store(), accountId, CLOSING)).toMatchObject({
      balance: 12_500_000n,
      charged: 7_500_000n,
    });
    const statements = await readStatements(store(), {
      accountId,
      createdAt: new Date(OCTOBER),
      nowMs: CLOSING,
    });
    expect(statements).toMatchObject([
      { month: '2025-11', opening: 10n * USD, givenBack: 2_500_000n, charged: 0n, closing: 12_500_000n },
      {
        month: '2025-10',
        opening: 0n,
        deposits: 20n * USD,
        givenBack: 0n,
        charged: 10n * USD,
        closing: 10n * USD,
      },
    ]);
  });

  test('never changes: a credit note corrects it, once for its reference and up to what is left', async () => {
    const accountId = await invoiced();
    await charged(accountId, 'wallet_creation', 100_000);
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER });
    await close();
    const note = (amount: bigint, reference: string) =>
      store().transaction((tx) =>
        issueCreditNote(tx, {
          invoiceNumber: 'INV-000001',
          amount,
          reason: 'a test',
          reference,
          nowMs: CLOSING + HOUR,
        }),
      );
    expect(await note(30n * USD, 'a')).toMatchObject({ isNew: true, note: { number: 'CN-000001' } });
    expect(await note(30n * USD, 'a')).toMatchObject({ isNew: false, note: { number: 'CN-000001' } });
    await expect(note(31n * USD, 'a')).rejects.toMatchObject({ code: 'creditReferenceUsed' });
    await expect(note(70n * USD + 1n, 'b')).rejects.toMatchObject({
      code: 'creditNoteTooHigh',
      context: { amountUsd: '70.000001', leftUsd: '70.00' },
    });
    expect(await note(70n * USD, 'b')).toMatchObject({ isNew: true, note: { number: 'CN-000002' } });
    const details = await readInvoice(store().db, { number: 'INV-000001' });
    expect(details).toMatchObject({
      credited: 100n * USD,
      outstanding: 0n,
      invoice: { total_usd: '100.00' },
    });
    expect(await readBalance(store(), accountId, CLOSING)).toMatchObject({ balance: 0n, charged: 0n });
    await expect(
      store().transaction((tx) => tx.update(invoices).set({ total: 1n }).where(eq(invoices.number, 1))),
    ).rejects.toMatchObject({ cause: { message: 'rows of invoices are only ever added' } });
    await signHeads(store(), CLOSING + HOUR);
    expect(await verifyInvoice(store(), 'INV-000001')).toMatchObject({ problems: [] });
    const { records } = await listAudit(store(), accountId, { action: 'credit_note.issue', limit: 5 });
    expect(records.toReversed().map(({ documentSha256 }) => documentSha256)).toEqual(
      details.notes.map((each) => documentDigest('credit note', showCreditNote(each))),
    );
  });

  test('that somebody changed in the database is not the one whose digest was recorded', async () => {
    const accountId = await invoiced();
    await charged(accountId, 'wallet_creation', 100_000);
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER });
    await close();
    await signHeads(store(), CLOSING + HOUR);
    await store().db.execute(sql`alter table invoices disable trigger user`);
    await store().db.execute(sql`
      update invoices set document = replace(document, '"payment_note":"By transfer"', '"payment_note":"To my account"')`);
    await store().db.execute(sql`alter table invoices enable trigger user`);
    const { problems } = await verifyInvoice(store(), 'INV-000001');
    expect(problems.map(describeProblem)).toEqual([
      expect.stringMatching(/^The invoice is not the one that was issued: its digest is \w{64}, and record /),
    ]);
  });

  test('a credit note of an operator does not wait for another record of the same operator that waits for it', async () => {
    const ids = [await customer(), await customer(), await customer()].toSorted();
    for (const [accountId, operatorId] of [
      [ids[0], ids[1]],
      [ids[2], ids[1]],
    ] as const) {
      if (accountId === undefined || operatorId === undefined) throw new Error('there are three accounts');
      const terms = { accountId, mode: 'invoiced', creditLimit: 50n * USD, nowMs: OCTOBER } as const;
      await store().transaction((tx) => setTerms(tx, terms));
      await charged(accountId, 'wallet_creation', 100);
      const [notice] = await close();
      const invoiceNumber = notice?.kind === 'invoice' ? notice.number : '';
      const fact = { action: 'x', outcome: 'ok', requestId: 'req_1' };
      const also = () => ({ accountId: operatorId, fact });
      const note = (reference: string) => {
        const wanted = { invoiceNumber, amount: 1n, reason: 'a test', reference, also, nowMs: CLOSING };
        return store().transaction((tx) => issueCreditNote(tx, wanted));
      };
      const other = () =>
        store().transaction((tx) => appendAudits(tx, [{ accountId, fact }, also()], CLOSING));
      await Promise.all(Array.from({ length: 10 }, (_, at) => [note(`n${at}`), other()]).flat());
    }
  });

  test('is paid by deposits in the order of the months', async () => {
    const accountId = await invoiced();
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: Date.UTC(2026, 0, 1) });
    for (const month of [9, 10, 11]) {
      await charged(accountId, 'wallet_creation', 100_000 * (month - 8), Date.UTC(2025, month, 5));
      await close(Date.UTC(2025, month + 1, 1) + 10 * 60_000);
    }
    const left = async () =>
      (await listInvoices(store().db, { accountId, limit: 10 })).map(({ outstanding }) => outstanding / USD);
    const nowMs = Date.UTC(2026, 0, 2);
    expect(await left()).toEqual([300n, 200n, 100n]);
    await deposit(accountId, 150n * USD, nowMs);
    expect(await left()).toEqual([300n, 150n, 0n]);
    await charged(accountId, 'wallet_creation', 50_000, nowMs);
    expect(await left()).toEqual([300n, 150n, 0n]);
    await deposit(accountId, 470n * USD, nowMs);
    expect(await left()).toEqual([0n, 0n, 0n]);
  });

  test('of another account is not found', async () => {
    const accountId = await invoiced();
    await charged(accountId, 'wallet_creation', 10);
    await close();
    const other = await newCustomer(store());
    for (const number of ['INV-000001', 'INV-1', 'INV-000002', 'CN-000001', '']) {
      const read = readInvoice(store().db, { number, accountId: other });
      await expect(read).rejects.toMatchObject({ code: 'invoiceNotFound', context: { number } });
    }
  });
});

function line(operation: string, tier: string, units: number, price: string, amount: string) {
  return { operation, tier, units, unit_price_usd: price, amount_usd: amount };
}
