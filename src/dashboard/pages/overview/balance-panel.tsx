import { Link } from 'wouter';
import type { Account } from '../../../../generated/account/types.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Usd } from '../../parts/number.tsx';

type BalancePanelProps = { readonly account: Account | undefined; readonly error: unknown };

/** The money that is left. */
export function BalancePanel({ account, error }: BalancePanelProps) {
  const balance = account?.balance;
  return (
    <section className="panel" aria-labelledby="balance">
      <div className="panel-head">
        <h2 id="balance">Balance</h2>
        <Link href="/billing">Billing</Link>
      </div>
      <ErrorNotice error={error} operation={['Account', 'getAccount']} />
      {balance !== undefined && (
        <dl className="facts">
          <div>
            <dt>Available</dt>
            <dd className="figure">
              <Usd amount={balance.available_usd} />
            </dd>
          </div>
          <div className="fact-line">
            <dt>Reserved for work under way</dt>
            <dd>
              <Usd amount={balance.reserved_usd} />
            </dd>
          </div>
          <div className="fact-line">
            <dt>Charged so far</dt>
            <dd>
              <Usd amount={balance.charged_usd} />
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}
