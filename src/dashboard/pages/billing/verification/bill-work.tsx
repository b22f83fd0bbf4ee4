import type { Invoice } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { Count } from '../../../parts/number.tsx';
import { Progress } from '../../../parts/progress.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { canVerify } from '../../audit/browser-crypto.ts';
import { BillVerdictNotice } from './bill-verdict-notice.tsx';
import { useBillWork } from './use-bill-work.ts';

/** Verifies an invoice in the browser, and saves it with its records. */
export function BillWork({ invoice }: { readonly invoice: Invoice }) {
  const { work, progress, stop } = useBillWork(invoice.number);
  const { data: result, error, isPending: isBusy } = work;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const key = readForm(event.currentTarget, 'key').trim().toLowerCase();
        if (!isBusy && canVerify()) work.mutate({ kind: 'verify', trustedKeys: key === '' ? [] : [key] });
      }}
    >
      {canVerify() ? (
        <Field
          name="key"
          label="Public key that the operator published (optional)"
          hint="64 hexadecimal digits. With it, heads that another key signed are refused."
          pattern="\s*[0-9A-Fa-f]{64}\s*"
          title="64 hexadecimal digits"
          autoComplete="off"
          spellCheck={false}
        />
      ) : (
        <p className="notice notice-warn">
          The browser computes hashes only over HTTPS. Open the dashboard at its https address, or download
          the invoice with its records and run <code>keyslot bill verify</code>.
        </p>
      )}
      <div className="bill-actions">
        {canVerify() && (
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Verify
          </Button>
        )}
        <Button type="button" isBusy={isBusy} onClick={() => work.mutate({ kind: 'save' })}>
          Download with records
        </Button>
        {isBusy && (
          <Button type="button" kind="quiet" onClick={stop}>
            Stop
          </Button>
        )}
      </div>
      {isBusy && (
        <div className="spent-bar" role="status">
          <Progress label="Records read" value={progress.percent} limit={100} />
          <span>
            <Count value={progress.records} /> records
          </span>
        </div>
      )}
      <ErrorNotice error={error} operation={['Audit log', 'listAuditChain']} />
      {result?.kind === 'stopped' && <p role="status">Stopped.</p>}
      {result?.kind === 'verified' && <BillVerdictNotice {...result} />}
      {result?.kind === 'saved' && (
        <p role="status">
          <Count value={result.lines} /> lines saved. Anybody can verify the file:{' '}
          <code>keyslot bill verify {invoice.number}.bill.jsonl</code>
        </p>
      )}
    </form>
  );
}
