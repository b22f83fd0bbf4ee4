import type { InvoiceDetails } from '../../../../../generated/account/types.ts';
import { formatDay, formatMonth } from '../../../parts/calendar.ts';
import { Lines } from '../../../parts/lines.tsx';
import { InvoiceBadge } from './invoice-badge.tsx';
import { InvoiceLines } from './invoice-lines.tsx';
import { InvoiceTotals } from './invoice-totals.tsx';
import '../paper/paper.css';

/** An invoice as it is on paper: who issued it to whom, for which month, what was charged, and what is left to pay. */
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
        Charges are in the audit log of the account from record {invoice.from_seq} on: whoever has its records
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
