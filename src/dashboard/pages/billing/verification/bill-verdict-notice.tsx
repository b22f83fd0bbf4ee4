import { describeDocument, describeProblem } from '../../../../../runtime/describe-bill-problem.ts';
import { describePrices } from '../../../../../runtime/used-prices.ts';
import type { BillVerdict } from '../../../../../runtime/verify-bill.ts';
import { formatMonth } from '../../../parts/calendar.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Count, Money } from '../../../parts/number.tsx';
import { readKeptHead } from '../../audit/kept-head.ts';
import type { BillResult } from './use-bill-work.ts';

type BillVerdictProps = Pick<Extract<BillResult, { readonly kind: 'verified' }>, 'verdict' | 'trustedKeys'>;

/** The result of a verification: the invoice matches its records, or each difference between them. */
export function BillVerdictNotice({ verdict, trustedKeys }: BillVerdictProps) {
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
          <Count value={records} /> records were looked at. Show this to the operator of the server.
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
              , of which <Money microUsd={billed.serviceCredit} /> are given back
            </>
          )}
          : the price of each charge, and every line and total are right. <Count value={records} /> records
          are as they were written, and <Count value={heads} /> signed{' '}
          {heads === 1 ? 'head agrees' : 'heads agree'} with them.
        </p>
        {credited > 0n && (
          <p>
            Its credit notes give back <Money microUsd={credited} />, and match their records.
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
  /** It is the one that the member gave. */
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
