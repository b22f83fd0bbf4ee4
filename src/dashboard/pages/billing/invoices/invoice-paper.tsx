import type {
  InvoiceDetails,
  InvoiceLine,
  CreditNote,
  Invoice,
} from '../../../../../generated/account/types.ts';
import { formatDay, formatMonth } from '../../../parts/calendar.ts';
import { Lines } from '../../../parts/lines.tsx';
import { InvoiceBadge } from './invoice-columns.tsx';
import '../paper/paper.css';
import { Count, Usd } from '../../../parts/number.tsx';
import { formatMicroUsd, formatUsd, priceRowName, microOf } from '../../../parts/format-number.ts';
import { type PaperSum, PaperSums } from '../paper/paper-sums.tsx';

/** An invoice as printed: issuer, recipient, month, charges, and the amount left to pay. */
export function InvoicePaper({ details }: { readonly details: InvoiceDetails }) {
  const { invoice, credit_notes: notes, ...amounts } = details;
  const { number, month, issued_at, due_on, account_name, payment_note } = invoice;
  return (
    <article className="panel paper" aria-labelledby="paper-title">
      <header className="paper-head">
        <h2 id="paper-title">
          Invoice <span className="number">{number}</span>
        </h2>
        <span className="not-printed">
          <InvoiceBadge invoice={{ ...amounts, due_on, total_usd: invoice.total_usd }} />
        </span>
      </header>
      <div className="paper-parties">
        <Party title="From" text={invoice.seller} />
        <Party title="To" text={invoice.recipient === '' ? account_name : invoice.recipient} />
      </div>
      <dl className="paper-facts">
        <Fact title="Month (UTC)" text={formatMonth(month)} />
        <Fact title="Issued" text={formatDay(issued_at)} />
        <Fact title="Due" text={formatDay(due_on)} />
        <Fact title="Account" text={account_name} />
      </dl>
      <InvoiceLines lines={invoice.lines} />
      <InvoiceTotals invoice={invoice} notes={notes} outstanding={amounts.outstanding_usd} />
      {payment_note !== '' && (
        <section className="paper-note" aria-labelledby="how-to-pay">
          <h3 id="how-to-pay">How to pay</h3>
          <p>
            <Lines text={payment_note} />
          </p>
        </section>
      )}
      <p className="paper-foot">
        Charges are in the audit log of the account from record {invoice.from_seq} on: anyone with its records
        can recompute this invoice.
      </p>
    </article>
  );
}

function Party({ title, text }: { readonly title: string; readonly text: string }) {
  if (text === '') return null;
  return (
    <div>
      <h3>{title}</h3>
      <address>
        <Lines text={text} />
      </address>
    </div>
  );
}

function Fact({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </div>
  );
}

const TIERS = {
  standard: 'standard price',
  volume: 'volume price',
  earlier_prices: 'difference to earlier prices',
} as const satisfies Record<InvoiceLine['tier'], string>;

/** The charges of an invoice: a line per row of the price list and per price. On a narrow screen units and price are below the name. */
function InvoiceLines({ lines }: { readonly lines: readonly InvoiceLine[] }) {
  return (
    <table className="paper-table">
      <caption className="only-read">What was charged</caption>
      <thead>
        <tr>
          <th scope="col">What was charged</th>
          <th scope="col" className="cell-number paper-wide">
            Units
          </th>
          <th scope="col" className="cell-number paper-wide">
            Price
          </th>
          <th scope="col" className="cell-number">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Line key={`${line.operation} ${line.tier}`} line={line} />
        ))}
      </tbody>
    </table>
  );
}

function Line({
  line: { operation, tier, units, unit_price_usd, amount_usd },
}: {
  readonly line: InvoiceLine;
}) {
  const isDifference = tier === 'earlier_prices';
  return (
    <tr>
      <th scope="row">
        {priceRowName(operation)}{' '}
        <small className="muted">
          {TIERS[tier]}
          {!isDifference && (
            <span className="paper-narrow">
              : <Count value={units} /> × <Usd amount={unit_price_usd} />
            </span>
          )}
        </small>
      </th>
      <td className="cell-number paper-wide">{!isDifference && <Count value={units} />}</td>
      <td className="cell-number paper-wide">{!isDifference && <Usd amount={unit_price_usd} />}</td>
      <td className="cell-number">
        <Usd amount={amount_usd} />
      </td>
    </tr>
  );
}

type InvoiceTotalsProps = {
  readonly invoice: Invoice;
  readonly notes: readonly CreditNote[];
  /** USD, as exact decimal text. */
  readonly outstanding: string;
};

/** The sums of an invoice, from the charges to the amount left to pay. */
function InvoiceTotals({ invoice, notes, outstanding }: InvoiceTotalsProps) {
  return (
    <>
      <PaperSums sums={issuedSums(invoice)} />
      {notes.length > 0 && (
        <>
          <h3>Credit notes</h3>
          <PaperSums
            sums={notes.map(({ number, issued_at, reason, amount_usd }) => ({
              title: `${number}, ${formatDay(issued_at)}`,
              note: reason,
              amount: lessUsd(amount_usd),
            }))}
          />
        </>
      )}
      <PaperSums sums={leftSums(invoice, notes, outstanding)} />
    </>
  );
}

/** The sums at the time of issue. */
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

/** The current sums. Payments by deposits since the issue follow from the others. */
function leftSums(invoice: Invoice, notes: readonly CreditNote[], outstanding: string): readonly PaperSum[] {
  const credited = notes.reduce((sum, { amount_usd }) => sum + microOf(amount_usd), 0n);
  const paidSince = microOf(invoice.due_usd) - credited - microOf(outstanding);
  const today = `On ${formatDay(new Date().toISOString())}.`;
  const left = { title: 'Left to pay', note: today, amount: formatUsd(outstanding), isLarge: true };
  return paidSince > 0n ? [{ title: 'Paid since', amount: `−${formatMicroUsd(paidSince)}` }, left] : [left];
}

/** Prints a deducted amount, with a minus unless it is zero. */
function lessUsd(amount: string): string {
  return amount === '0.00' ? formatUsd(amount) : `−${formatUsd(amount)}`;
}
