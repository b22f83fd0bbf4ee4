import type { CreditNote, Invoice } from '../../../../../generated/account/types.ts';
import { formatDay, formatMonth } from '../../../parts/calendar.ts';
import { formatMicroUsd, formatUsd } from '../../../parts/format-number.ts';
import { microOf } from '../../../parts/usd.ts';
import { type PaperSum, PaperSums } from '../paper/paper-sums.tsx';

type InvoiceTotalsProps = {
  readonly invoice: Invoice;
  readonly notes: readonly CreditNote[];
  /** USD, as exact decimal text. */
  readonly outstanding: string;
};

/** The sums of an invoice, from what was charged to what is left to pay. */
export function InvoiceTotals({ invoice, notes, outstanding }: InvoiceTotalsProps) {
  return (
    <>
      <PaperSums sums={issuedSums(invoice)} />
      {notes.length > 0 && (
        <>
          <h3>Credit notes</h3>
          <PaperSums
            sums={notes.map(({ number, issued_at, reason, amount_usd }) => ({
              ...{ title: `${number}, ${formatDay(issued_at)}`, note: reason, amount: lessUsd(amount_usd) },
            }))}
          />
        </>
      )}
      <PaperSums sums={leftSums(invoice, notes, outstanding)} />
    </>
  );
}

/** The sums as they were when it was issued. */
function issuedSums(invoice: Invoice): readonly PaperSum[] {
  const { month, availability_percent: availability, service_credit_percent: percent } = invoice;
  return [
    { title: 'Charged', amount: formatUsd(invoice.charged_usd) },
    {
      title: percent === 0 ? 'Credit for availability' : `Credit for availability, ${percent} %`,
      note: `The wallet service was available ${availability} % of ${formatMonth(month)}.`,
      amount: lessUsd(invoice.service_credit_usd),
    },
    { title: 'Total', amount: formatUsd(invoice.total_usd), isStrong: true },
    {
      title: 'Paid from deposits',
      note: 'When the invoice was issued.',
      amount: lessUsd(invoice.paid_usd),
    },
    {
      title: 'Due',
      note: `By ${formatDay(invoice.due_on)}.`,
      amount: formatUsd(invoice.due_usd),
      isStrong: true,
    },
  ];
}

/** The sums as they are now. What deposits have paid since it was issued follows from the others. */
function leftSums(invoice: Invoice, notes: readonly CreditNote[], outstanding: string): readonly PaperSum[] {
  const credited = notes.reduce((sum, { amount_usd }) => sum + microOf(amount_usd), 0n);
  const paidSince = microOf(invoice.due_usd) - credited - microOf(outstanding);
  const today = `On ${formatDay(new Date().toISOString())}.`;
  const left = { title: 'Left to pay', note: today, amount: formatUsd(outstanding), isLarge: true };
  return paidSince > 0n ? [{ title: 'Paid since', amount: `−${formatMicroUsd(paidSince)}` }, left] : [left];
}

/** Prints an amount that is taken off, with a minus where there is one. */
function lessUsd(amount: string): string {
  return amount === '0.00' ? formatUsd(amount) : `−${formatUsd(amount)}`;
}
