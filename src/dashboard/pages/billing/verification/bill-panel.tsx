import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invoice } from '../../../../../generated/account/types.ts';
import { referenceOf } from '../../../calls/places.ts';
import { useScopes } from '../../../session/session.tsx';
import { MOST_RECORDS, type BillProgress, watchItems, BILL_PRICES } from './watch-items.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Field } from '../../../parts/field.tsx';
import { Count, Money } from '../../../parts/number.tsx';
import { Progress } from '../../../parts/progress.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { canVerify, browserCrypto } from '../../audit/browser-crypto.ts';
import { describeDocument, describeProblem } from '../../../../../runtime/describe-bill-problem.ts';
import { describePrices } from '../../../../../runtime/used-prices.ts';
import { type BillVerdict, verifyBill } from '../../../../../runtime/verify-bill.ts';
import { formatMonth } from '../../../parts/calendar.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { readKeptHead } from '../../audit/kept-head.ts';
import { type BillItem, readBill } from '../../../../../runtime/bill.ts';
import { inBatches } from '../../../../../runtime/in-batches.ts';
import { exportRows, isStopped } from '../../../parts/export-rows.ts';
import { openFile } from '../../../parts/save-file.ts';
import { useStoppable } from '../../../parts/use-stoppable.ts';
import { account } from '../../../calls/account-client.ts';
import { patiently } from '../../../calls/patiently.ts';

/** Verifies an invoice against the signed records of its charges, for members with access to the audit log. */
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
        from record {invoice.from_seq} on, and recomputes the invoice in your browser: the chain of the
        records, the price of each charge, and every line and total. It reads up to{' '}
        {MOST_RECORDS.toLocaleString('en')} records; <code>keyslot bill fetch</code> reads any number.
      </p>
      {mayRead ? (
        <BillWork invoice={invoice} />
      ) : (
        <p className="notice notice-warn">
          This needs the audit log (audit:read), which your role cannot read. Ask an owner to verify the
          invoice, or for the file with its records: <code>keyslot bill verify</code> does the same without
          the server.
        </p>
      )}
    </section>
  );
}

/** Verifies an invoice in the browser, and saves it with its records. */
function BillWork({ invoice }: { readonly invoice: Invoice }) {
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
          <Count value={result.lines} /> lines saved. Anyone can verify the file:{' '}
          <code>keyslot bill verify {invoice.number}.bill.jsonl</code>
        </p>
      )}
    </form>
  );
}

type BillVerdictProps = Pick<Extract<BillResult, { readonly kind: 'verified' }>, 'verdict' | 'trustedKeys'>;

/** The result of a verification: the invoice matches its records, or each difference between them. */
function BillVerdictNotice({ verdict, trustedKeys }: BillVerdictProps) {
  const { invoice, records, heads, publicKeys, billed, credited, prices, problems } = verdict;
  const { number, month } = invoice;
  if (problems.length > 0)
    return (
      <div className="notice" role="alert">
        <p>
          <strong>
            {problems.some(({ kind }) => kind === 'untrusted')
              ? `The records of ${number} are signed with another key.`
              : `${number} does not match its records.`}
          </strong>
        </p>
        <ul className="bill-problems">
          {problems.map((problem) => {
            const text = describeProblem(problem);
            return <li key={text}>{text}</li>;
          })}
        </ul>
        <PriceList prices={prices} />
        <p className="notice-small">
          <Count value={records} /> records were checked. Show this to the operator of the server.
        </p>
      </div>
    );
  return (
    <div className="stack" role="status">
      <div className="notice bill-sound">
        <p>
          <strong>{number} matches its records.</strong>
        </p>
        <p>
          <Money microUsd={billed.charged} /> were charged in {formatMonth(month)}
          {billed.serviceCredit > 0n && (
            <>
              , of which <Money microUsd={billed.serviceCredit} /> are refunded
            </>
          )}
          . The price of each charge and every line and total are correct. <Count value={records} /> records
          are unchanged, and <Count value={heads} /> signed {heads === 1 ? 'head agrees' : 'heads agree'} with
          them.
        </p>
        {credited > 0n && (
          <p>
            Its credit notes refund <Money microUsd={credited} />, and match their records.
          </p>
        )}
        <p>{describeDocument(verdict)}</p>
        <PriceList prices={prices} />
      </div>
      {publicKeys.map((key) => (
        <SigningKey
          key={key}
          publicKey={key}
          isTrusted={trustedKeys.includes(key)}
          accountId={invoice.account_id}
        />
      ))}
    </div>
  );
}

function PriceList({ prices }: Pick<BillVerdict, 'prices'>) {
  if (prices.length === 0) return null;
  return (
    <>
      <p>Prices of the charges:</p>
      <ul className="bill-problems">
        {prices.map((used) => {
          const text = describePrices(used);
          return <li key={text}>{text}</li>;
        })}
      </ul>
    </>
  );
}

type SigningKeyProps = {
  readonly publicKey: string;
  /** True if it is the one that the member gave. */
  readonly isTrusted: boolean;
  readonly accountId: string;
};

function SigningKey({ publicKey, isTrusted, accountId }: SigningKeyProps) {
  const seen = readKeptHead(accountId)?.publicKey;
  return (
    <div>
      <p className="field-hint">
        {isTrusted
          ? 'The heads are signed with the public key that you gave.'
          : 'The heads are signed with this public key. Compare it with the one that the operator published: a server that rewrites its log could show another.'}{' '}
        {seen !== undefined &&
          (seen === publicKey
            ? 'This browser saw the same key when it verified the audit log.'
            : `When this browser verified the audit log, the key was ${seen}.`)}
      </p>
      <p className="copyable">
        <code>{publicKey}</code>
        <CopyButton text={publicKey} label="Copy the public key" />
      </p>
    </div>
  );
}

/** A task on the records of an invoice. `trustedKeys` is empty for any key. */
type BillTask =
  | { readonly kind: 'verify'; readonly trustedKeys: readonly string[] }
  | { readonly kind: 'save' };

/** The result of a task. */
type BillResult =
  | { readonly kind: 'verified'; readonly verdict: BillVerdict; readonly trustedKeys: readonly string[] }
  | { readonly kind: 'saved'; readonly lines: number }
  | { readonly kind: 'stopped' };

const LINES_AT_ONCE = 500;
const NOTHING: BillProgress = { records: 0, percent: 0 };

/** The tasks on the records of an invoice: verify it, or save it with them. A task can be stopped, and stops when the page is left. */
function useBillWork(number: string) {
  const [progress, setProgress] = useState(NOTHING);
  const { begin, stop } = useStoppable();
  const work = useMutation({
    mutationFn: async (task: BillTask): Promise<BillResult> => {
      const signal = begin();
      setProgress(NOTHING);
      try {
        return await run(
          task,
          number,
          watchItems(readBillItems(number, signal), { onProgress: setProgress }),
        );
      } catch (error) {
        if (isStopped(error) || signal.aborted) return { kind: 'stopped' };
        throw error;
      }
    },
  });
  return { work, progress, stop };
}

async function run(
  task: BillTask,
  number: string,
  items: AsyncIterable<BillItem<Invoice>>,
): Promise<BillResult> {
  if (task.kind === 'save') return { kind: 'saved', lines: await save(number, items) };
  const { trustedKeys } = task;
  const deps = { ...browserCrypto(), prices: BILL_PRICES, trustedKeys };
  return { kind: 'verified', verdict: await verifyBill(deps, items), trustedKeys };
}

/** Writes a line of JSON for each item to a file that the member chooses. @returns the number of lines. */
async function save(number: string, items: AsyncIterable<BillItem<Invoice>>): Promise<number> {
  const file = await openFile(`${number}.bill.jsonl`, 'application/jsonl');
  let lines = 0;
  await exportRows<readonly BillItem<Invoice>[]>(file, {
    pages: inBatches(items, LINES_AT_ONCE),
    rowsOf: (batch) => batch,
    head: [],
    format: 'jsonl',
    onRows: (written) => {
      lines = written;
    },
  });
  return lines;
}

const RECORDS = 5_000;
const HEADS = 1_000;

/** Reads an invoice with the records of its charges and credit notes, and their signed heads, until the signal aborts. */
function readBillItems(number: string, signal: AbortSignal): AsyncIterable<BillItem<Invoice>> {
  const reads = {
    readInvoice: (id: string) => patiently(() => account.readInvoice(id, { signal }), signal),
    readChain: (from_seq: number) =>
      patiently(() => account.listAuditChain({ from_seq, limit: RECORDS }, { signal }), signal),
    readHeads: (from_seq: number) =>
      patiently(() => account.listAuditHeads({ from_seq, limit: HEADS }, { signal }), signal),
  };
  return readBill(reads, number);
}
