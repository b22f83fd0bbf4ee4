import { beforeAll, expect, test } from 'vitest';
import type { BilledInvoice, BillItem } from '../../../../runtime/bill.ts';
import { describeDocument, describeProblem } from '../../../../runtime/describe-bill-problem.ts';
import { describePrices } from '../../../../runtime/used-prices.ts';
import { type BillProblem, verifyBill } from '../../../../runtime/verify-bill.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer } from '../../new-customer.ts';
import { BILL_DEPS, billOf, charge, closeAll, provedBut, signedAnew, signHeads } from './billed-account.ts';

const OCTOBER = Date.UTC(2025, 9, 20);
const NOVEMBER = Date.UTC(2025, 10, 1);
const HOUR = 3_600_000;

/** Of a month with both prices, several records, and a credit for missed availability. */
let bill: readonly BillItem[] = [];

describeStores('a bill', (backend) => {
  const store = backend.shared();

  beforeAll(async () => {
    const accountId = await newCustomer(store());
    const terms = { accountId, mode: 'invoiced', creditLimit: 900_000_000n, nowMs: OCTOBER } as const;
    await store().transaction((tx) => setTerms(tx, terms));
    for (const units of [999_990, 7, 20, 1])
      await charge(store(), { accountId, operation: 'managed_signing', units, nowMs: OCTOBER });
    await charge(store(), { accountId, operation: 'wallet_creation', units: 5, nowMs: NOVEMBER });
    const down = { fromMs: OCTOBER, untilMs: OCTOBER + 3 * HOUR };
    await provedBut(store(), { fromMs: OCTOBER - 99 * HOUR, untilMs: NOVEMBER }, down);
    await closeAll(store(), NOVEMBER + HOUR);
    await signHeads(store(), NOVEMBER + HOUR);
    bill = await billOf(store(), 'INV-000001');
  });

  test('that nobody changed is what its records come to', async () => {
    expect(await verifyBill(BILL_DEPS, bill)).toMatchObject({
      records: 6,
      heads: 1,
      problems: [],
      hasDigest: true,
      billed: { charged: 100_000_720n, serviceCredit: 10_000_072n, total: 90_000_648n },
    });
  });

  test.each<readonly [keyof BilledInvoice, unknown, BillProblem['kind']]>([
    ['charged_usd', '100.00073', 'total'],
    ['service_credit_usd', '10.00', 'total'],
    ['total_usd', '90.000649', 'total'],
    ['due_usd', '91.00', 'total'],
    ['paid_usd', '1.00', 'total'],
    ['availability_percent', '99.9500', 'credit'],
    ['availability_percent', '98.9999', 'credit'],
    ['month', '2025-11', 'total'],
    ['number', 'INV-000002', 'not_issued'],
    ['account_id', '00000000-0000-4000-8000-000000000000', 'chain'],
    ['from_seq', 2, 'chain'],
    ['lines', [], 'line'],
  ])('whose %s was changed to %j is found out', async (member, value, kind) => {
    const changed = bill.map((item) =>
      'invoice' in item ? { ...item, invoice: { ...item.invoice, [member]: value } } : item,
    );
    const { problems } = await verifyBill(BILL_DEPS, changed);
    expect(problems.map((problem) => problem.kind)).toContain(kind);
    for (const problem of problems) expect(describeProblem(problem)).toMatch(/^[\w:].*\.$/);
  });

  test('names the line that has other units than its records', async () => {
    const { problems } = await verifyBill(
      BILL_DEPS,
      changeInvoice((invoice) => ({
        lines: invoice.lines.map((line) => (line.tier === 'volume' ? { ...line, units: 19 } : line)),
      })),
    );
    expect(problems.map(describeProblem)).toEqual([
      expect.stringMatching(
        /^The invoice is not the one that was issued: its digest is \w{64}, and record 6/,
      ),
      'managed_signing, volume: the invoice has 19 at 0.00004 USD, 0.00072 USD, the records have 18 at 0.00004 USD, 0.00072 USD.',
    ]);
  });

  test('is found out whichever member of the invoice was changed, also one that no record has', async () => {
    const [first] = bill;
    const invoice = first !== undefined && 'invoice' in first ? first.invoice : undefined;
    for (const [name, value] of Object.entries(invoice ?? {})) {
      const { problems } = await verifyBill(
        BILL_DEPS,
        changeInvoice(() => ({ [name]: changeValue(value) })),
      );
      expect(problems, name).not.toEqual([]);
    }
    const changes: readonly object[] = [{ recipient: 'Other' }, { due_on: '2099-01-01' }, { note: 'new' }];
    for (const change of changes) {
      const { problems } = await verifyBill(
        BILL_DEPS,
        changeInvoice(() => change),
      );
      expect(problems).toMatchObject([{ kind: 'document', seq: 6 }]);
    }
  });

  test('whose members stand in another order is the same document', async () => {
    const turned = bill.map((item) =>
      'invoice' in item
        ? {
            ...item,
            invoice: Object.fromEntries(Object.entries(item.invoice).reverse()) as unknown as BilledInvoice,
          }
        : item,
    );
    expect(await verifyBill(BILL_DEPS, turned)).toMatchObject({ problems: [], hasDigest: true });
  });

  test('of before records had digests is verified as it was then, and says so', async () => {
    const earlier = signedAnew(
      bill.map((item) => {
        if (!('record' in item)) return item;
        const { document_sha256: _digest, ...record } = item.record;
        return { record };
      }),
    );
    const verdict = await verifyBill(BILL_DEPS, earlier);
    expect([verdict.problems, describeDocument(verdict)]).toEqual([
      ...[[], expect.stringContaining('before records had the digest of an invoice')],
    ]);
    const changed = await verifyBill(
      BILL_DEPS,
      earlier.map((item) =>
        'invoice' in item ? { ...item, invoice: { ...item.invoice, due_usd: '1.00' } } : item,
      ),
    );
    expect(changed.problems.map(({ kind }) => kind)).toEqual(['total']);
  });

  test('whose record lost its digest, or got another, without a new signature is found out', async () => {
    for (const digest of [undefined, 'ab'.repeat(32)]) {
      const forged = bill.map((item) =>
        'record' in item && item.record.seq === 6
          ? { record: { ...item.record, document_sha256: digest } as typeof item.record }
          : item,
      );
      expect((await verifyBill(BILL_DEPS, forged)).problems).toMatchObject([
        { kind: 'chain', fault: { kind: 'changed', seq: 6 } },
      ]);
    }
  });

  test('is found out whichever member of a record, or of a head, was changed', async () => {
    for (const [at, item] of bill.entries()) {
      const part = 'record' in item ? 'record' : 'head' in item ? 'head' : undefined;
      if (part === undefined) continue;
      const members = (item as unknown as Record<string, Record<string, unknown>>)[part] ?? {};
      for (const [name, value] of Object.entries(members)) {
        // The hash of a record is computed with the account of the invoice.
        if (name === 'account_id') continue;
        const other = { [part]: { ...members, [name]: changeValue(value) } } as unknown as BillItem;
        const { problems } = await verifyBill(BILL_DEPS, bill.with(at, other));
        expect(problems, `${part} ${at} ${name}`).not.toEqual([]);
      }
    }
  });

  test('is found out if a record, or the head, is left out, moved or there twice', async () => {
    for (const [at, item] of bill.entries()) {
      if (at === 0) continue;
      expect((await verifyBill(BILL_DEPS, bill.toSpliced(at, 1))).problems, `without ${at}`).not.toEqual([]);
      if ('head' in item) continue;
      expect((await verifyBill(BILL_DEPS, bill.toSpliced(at, 0, item))).problems, `${at} twice`).not.toEqual(
        [],
      );
      const moved = bill.toSpliced(at, 1).toSpliced(at === 1 ? 2 : 1, 0, item);
      expect((await verifyBill(BILL_DEPS, moved)).problems, `${at} moved`).not.toEqual([]);
    }
  });

  test('is right with the prices that its records state, whatever the price list of the program has, and lists them', async () => {
    const book = { ...BILL_DEPS.prices.book, volumeThreshold: 999_995n };
    const { problems, prices } = await verifyBill(
      { ...BILL_DEPS, prices: { ...BILL_DEPS.prices, book } },
      bill,
    );
    expect([problems, prices.map(describePrices)]).toEqual([
      [],
      [
        'managed_signing: 0.0001 USD, 0.00004 USD above 1000000 units a month, for 1000018 units from record 1 on (not those of the price list of this program: compare them with the agreed prices)',
      ],
    ]);
    expect((await verifyBill(BILL_DEPS, bill)).prices).toMatchObject([{ isStated: true, isListed: true }]);
  });

  test('is found out if a charge does not follow from the prices that its record states', async () => {
    for (const change of [{ amount_usd: '0.0008' }, { prices: { ...STATED, standard_usd: '0.0002' } }]) {
      const { problems } = await verifyBill(BILL_DEPS, changeCharge(3, change));
      expect(problems.map(describeProblem)).toContainEqual(
        expect.stringMatching(
          /^Record 3 charges 0\.000\d+ USD for managed_signing, and the prices that it states give/,
        ),
      );
    }
  });

  test('of before charges had prices is held against the price list of the program', async () => {
    const earlier = changeCharge(undefined, { prices: undefined });
    const { problems, prices } = await verifyBill(BILL_DEPS, earlier);
    expect([problems, prices]).toMatchObject([[], [{ isStated: false, units: 1_000_018n }]]);
    const book = { ...BILL_DEPS.prices.book, volumeThreshold: 999_995n };
    const other = await verifyBill({ ...BILL_DEPS, prices: { ...BILL_DEPS.prices, book } }, earlier);
    expect(other.problems.map(describeProblem)[0]).toBe(
      'Record 2 charges 0.0007 USD for managed_signing, and the price list gives 0.00058 USD.',
    );
  });

  test('signed by another key than the trusted one is found out', async () => {
    const { problems } = await verifyBill({ ...BILL_DEPS, trustedKeys: ['ab'.repeat(32)] }, bill);
    expect(problems).toMatchObject([{ kind: 'untrusted' }]);
  });
});

function changeInvoice(change: (invoice: BilledInvoice) => Partial<BilledInvoice>): readonly BillItem[] {
  return bill.map((item) =>
    'invoice' in item ? { ...item, invoice: { ...item.invoice, ...change(item.invoice) } } : item,
  );
}

const STATED = { standard_usd: '0.0001', volume_usd: '0.00004', volume_threshold: 1_000_000 };

/** Changes the charges of a record, or of all, as if they had been written so. */
function changeCharge(seq: number | undefined, change: object): readonly BillItem[] {
  const changed = bill.map((item) => {
    if (!('record' in item) || (seq ?? item.record.seq) !== item.record.seq) return item;
    const { charges } = item.record;
    if (charges === undefined) return item;
    const others = charges.map((each) => {
      const isSold = each.operation === 'managed_signing';
      const { prices, ...other } = { ...each, ...(isSold && change) };
      return prices === undefined ? other : { ...other, prices };
    });
    return { record: { ...item.record, charges: others } };
  });
  return signedAnew(changed);
}

function changeValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value.startsWith('1') ? '2' : '1'}${value.slice(1)}`;
  return [];
}
