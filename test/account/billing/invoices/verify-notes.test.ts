import { beforeAll, expect, test } from 'vitest';
import type { BillItem, BillNote } from '../../../../runtime/bill.ts';
import { describeProblem } from '../../../../runtime/describe-bill-problem.ts';
import { verifyBill } from '../../../../runtime/verify-bill.ts';
import { describeBill, showBill } from '../../../../src/cli/bill/verify-bill-file.ts';
import { issueCreditNote } from '../../../../src/account/billing/invoices/issue-credit-note.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer } from '../../new-customer.ts';
import { BILL_DEPS, billOf, charge, closeAll, provedBut, signedAnew, signHeads } from './billed-account.ts';

const OCTOBER = Date.UTC(2025, 9, 20);
const NOVEMBER = Date.UTC(2025, 10, 1);
const HOUR = 3_600_000;
const USD = 1_000_000n;

/** Of an invoice over 10 USD with two credit notes, among those of another account. */
let bill: readonly BillItem[] = [];

describeStores('the credit notes of a bill', (backend) => {
  const store = backend.shared();

  const credit = (invoiceNumber: string, amount: bigint) => {
    const wanted = {
      invoiceNumber,
      amount,
      reason: 'a test',
      reference: `${amount}`,
      nowMs: NOVEMBER + HOUR,
    };
    return store().transaction((tx) => issueCreditNote(tx, wanted));
  };

  beforeAll(async () => {
    for (const name of ['one', 'other']) {
      const accountId = await newCustomer(store());
      const terms = { accountId, mode: 'invoiced', creditLimit: 900n * USD, nowMs: OCTOBER } as const;
      await store().transaction((tx) => setTerms(tx, terms));
      const units = name === 'one' ? 100_000 : 50_000;
      await charge(store(), { accountId, operation: 'managed_signing', units, nowMs: OCTOBER });
    }
    await provedBut(store(), { fromMs: OCTOBER - HOUR, untilMs: NOVEMBER });
    await closeAll(store(), NOVEMBER + HOUR);
    const numbers = ['INV-000001', 'INV-000002'];
    const sums = await Promise.all(numbers.map(async (number) => (await totalOf(number)) === '10.00'));
    const own = numbers[sums.indexOf(true)] ?? '';
    const other = numbers[sums.indexOf(false)] ?? '';
    await credit(other, USD);
    await credit(own, 4n * USD);
    await credit(other, 2n * USD);
    await credit(own, 6n * USD);
    await signHeads(store(), NOVEMBER + HOUR);
    bill = await billOf(store(), own);
  });

  const totalOf = async (number: string): Promise<string> => {
    await signHeads(store(), NOVEMBER + HOUR);
    const [first] = await billOf(store(), number);
    return first !== undefined && 'invoice' in first ? first.invoice.total_usd : '';
  };

  test('stand at its end, and match the records that issue them', async () => {
    expect(notesOf(bill)).toMatchObject([
      { number: 'CN-000002', amount_usd: '4.00' },
      { number: 'CN-000004', amount_usd: '6.00' },
    ]);
    expect(bill.slice(-2).every((item) => 'credit_note' in item)).toBe(true);
    const verdict = await verifyBill(BILL_DEPS, bill);
    expect(verdict).toMatchObject({ problems: [], credited: 10n * USD });
    expect(showBill(verdict)).toMatchObject({ is_sound: true, credited_usd: '10.00' });
    expect(describeBill(verdict, true)).toContain('Its credit notes refund 10.00 USD. ');
  });

  test.each<readonly [string, () => readonly BillItem[], string]>([
    [
      'that is left out',
      () => bill.filter((item) => !('credit_note' in item) || item.credit_note.number !== 'CN-000002'),
      'note_missing',
    ],
    ['whose number is another', () => changeNote({ number: 'CN-000003' }), 'note_not_issued'],
    ['that is there twice', () => [...bill, ...bill.slice(-1)], 'note_twice'],
    ['of another invoice', () => changeNote({ invoice_number: 'INV-000009' }), 'note_invoice'],
    ['of another amount', () => changeNote({ amount_usd: '5.00' }), 'note_amount'],
    ['of another reason', () => changeNote({ reason: 'a gift' }), 'note_document'],
    ['of another day', () => changeNote({ issued_at: '2025-11-02T00:00:00.000Z' }), 'note_document'],
    ['that gives back too much', () => changeNote({ amount_usd: '6.000001' }), 'notes_above'],
  ])('one %s is named', async (_name, change, kind) => {
    expect(await problemsOf(change())).toContain(kind);
  });

  test.each<readonly [string, object, string]>([
    ['another month', { charges: [noteCharge('-4.00', '2025-09')] }, 'note_invoice'],
    ['another amount', { charges: [noteCharge('-3.00', '2025-10')] }, 'note_amount'],
    ['an amount that takes more', { charges: [noteCharge('4.00', '2025-10')] }, 'note_amount'],
    ['a number above the next one', { subject: 'CN-000005' }, 'note_order'],
    ['no number', { subject: 'x' }, 'note_order'],
    ['the number of the next one', { subject: 'CN-000004' }, 'note_twice'],
    ['another digest', { document_sha256: 'ab'.repeat(32) }, 'note_document'],
  ])('one is named whose record was written with %s', async (_name, change, kind) => {
    expect(await problemsOf(changeIssue(change))).toContain(kind);
  });

  test('of before records had digests are held against the amounts alone', async () => {
    const earlier = changeIssue({ document_sha256: undefined });
    expect(await problemsOf(earlier)).toEqual([]);
  });

  test('whose records were changed, cut off or not signed is found out by the chain', async () => {
    const at = bill.findIndex(isIssue);
    const changed = bill.map((item, index) =>
      index === at && 'record' in item ? { record: { ...item.record, subject: 'CN-000009' } } : item,
    );
    expect(await problemsOf(changed)).toEqual(['chain']);
    expect(await problemsOf(bill.toSpliced(at, 1))).toEqual(['chain']);
    expect(await problemsOf(bill.filter((item) => !('head' in item)))).toEqual(['unsigned']);
  });
});

function notesOf(items: readonly BillItem[]): readonly BillNote[] {
  return items.flatMap((item) => ('credit_note' in item ? [item.credit_note] : []));
}

/** The kinds of the problems, each of which has a text. */
async function problemsOf(items: readonly BillItem[]): Promise<readonly string[]> {
  const { problems } = await verifyBill(BILL_DEPS, items);
  for (const problem of problems) expect(describeProblem(problem)).toMatch(/^[\w:].*\.$/);
  return problems.map(({ kind }) => kind);
}

const noteCharge = (amount: string, month: string) => ({
  operation: 'credit_note',
  month,
  units: 0,
  amount_usd: amount,
});

const isIssue = (item: BillItem): boolean => 'record' in item && item.record.subject === 'CN-000002';

/** Changes the first credit note. */
function changeNote(change: Partial<BillNote>): readonly BillItem[] {
  return bill.map((item) =>
    'credit_note' in item && item.credit_note.number === 'CN-000002'
      ? { credit_note: { ...item.credit_note, ...change } }
      : item,
  );
}

/** Changes the record of the first credit note as if it had been written so. */
function changeIssue(change: object): readonly BillItem[] {
  const changed = bill.map((item) => {
    if (!isIssue(item) || !('record' in item)) return item;
    const { document_sha256: digest, ...record } = { ...item.record, ...change };
    return { record: digest === undefined ? record : { ...record, document_sha256: digest } };
  });
  return signedAnew(changed);
}
