import { Link } from 'wouter';
import type { Statement } from '../../../../../generated/account/types.ts';
import { formatMonth } from '../../../parts/calendar.ts';
import { formatUsd, priceRowName } from '../../../parts/format-number.ts';
import { Count, Usd } from '../../../parts/number.tsx';
import { useSession } from '../../../session/session.tsx';
import { PaperSums } from '../paper/paper-sums.tsx';
import '../paper/paper.css';

/** The statement of a month as printed: from the opening to the closing balance. */
export function StatementPaper({ statement }: { readonly statement: Statement }) {
  const { account } = useSession();
  const { month, charges, invoice_number: invoice } = statement;
  return (
    <article className="panel paper" aria-labelledby="paper-title">
      <header className="paper-head">
        <h2 id="paper-title">Statement</h2>
      </header>
      <dl className="paper-facts">
        <div>
          <dt>Month (UTC)</dt>
          <dd>{formatMonth(month)}</dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>{account.name}</dd>
        </div>
        {invoice !== undefined && (
          <div>
            <dt>Invoice</dt>
            <dd>
              <Link href={`/billing/invoices/${invoice}`}>{invoice}</Link>
            </dd>
          </div>
        )}
      </dl>
      <PaperSums
        sums={[
          { title: 'Opening balance', amount: formatUsd(statement.opening_usd) },
          { title: 'Deposits', amount: formatUsd(statement.deposits_usd) },
          {
            title: 'Refunded',
            note: 'For missed availability, and in credit notes.',
            amount: formatUsd(statement.given_back_usd),
          },
        ]}
      />
      {charges.length > 0 && <Charges charges={charges} />}
      <PaperSums
        sums={[
          { title: 'Charged', amount: formatUsd(statement.charged_usd), isStrong: true },
          { title: 'Closing balance', amount: formatUsd(statement.closing_usd), isLarge: true },
        ]}
      />
      <p className="paper-foot">
        The balance includes what is reserved for work under way. Movements count when they were booked.
      </p>
    </article>
  );
}

function Charges({ charges }: Pick<Statement, 'charges'>) {
  return (
    <table className="paper-table">
      <caption className="only-read">What was charged</caption>
      <thead>
        <tr>
          <th scope="col">What was charged</th>
          <th scope="col" className="cell-number paper-wide">
            Units
          </th>
          <th scope="col" className="cell-number">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {charges.map(({ operation, units, cost_usd }) => (
          <tr key={operation}>
            <th scope="row">
              {priceRowName(operation)}{' '}
              <small className="muted paper-narrow">
                <Count value={units} /> units
              </small>
            </th>
            <td className="cell-number paper-wide">
              <Count value={units} />
            </td>
            <td className="cell-number">
              <Usd amount={cost_usd} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
