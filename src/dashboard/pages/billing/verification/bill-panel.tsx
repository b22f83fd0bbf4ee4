import type { Invoice } from '../../../../../generated/account/types.ts';
import { referenceOf } from '../../../calls/places.ts';
import { useScopes } from '../../../session/session.tsx';
import { BillWork } from './bill-work.tsx';
import { MOST_RECORDS } from './watch-items.ts';

/** Verifies an invoice against the signed records of its charges, for members who may read the audit log. */
export function BillPanel({ invoice }: { readonly invoice: Invoice }) {
  const mayRead = useScopes('audit:read');
  return (
    <section className="panel" aria-labelledby="verify">
      <div className="panel-head">
        <h2 id="verify">Verify the invoice</h2>
        <a href={referenceOf('Billing', 'readInvoice')}>How it works</a>
      </div>
      <p>
        Every charge is in a record of the audit log, and the server signs the log. This page reads the log
        from record {invoice.from_seq} on, and computes the invoice anew in your browser: the chain of the
        records, the price of each charge, and every line and total. It reads up to{' '}
        {MOST_RECORDS.toLocaleString('en')} records; <code>keyslot bill fetch</code> reads any number.
      </p>
      {mayRead ? (
        <BillWork invoice={invoice} />
      ) : (
        <p className="notice notice-warn">
          This needs the audit log (audit:read), which your role does not read. Ask an owner to verify the
          invoice, or for the file with its records: <code>keyslot bill verify</code> does the same without
          the server.
        </p>
      )}
    </section>
  );
}
