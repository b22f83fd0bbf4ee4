import type { Balance } from '../../../../../generated/account/types.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Usd } from '../../../parts/number.tsx';

type BalanceFactsProps = { readonly balance: Balance | undefined; readonly error: unknown };

const LINES: readonly { readonly title: string; readonly member: keyof Balance }[] = [
  { title: 'Balance', member: 'balance_usd' },
  { title: 'Credit limit', member: 'credit_limit_usd' },
  { title: 'Reserved for work under way', member: 'reserved_usd' },
  { title: 'Charged so far', member: 'charged_usd' },
];

/** The money of the account, exactly. */
export function BalanceFacts({ balance, error }: BalanceFactsProps) {
  return (
    <section className="panel" aria-labelledby="balance">
      <h2 id="balance">Balance</h2>
      <ErrorNotice error={error} operation={['Account', 'getAccount']} />
      {balance !== undefined && (
        <dl className="amounts">
          <div className="amount-large">
            <dt>Available</dt>
            <dd>
              <Usd amount={balance.available_usd} />
            </dd>
          </div>
          {LINES.map(({ title, member }) => (
            <div key={member}>
              <dt>{title}</dt>
              <dd>
                <Usd amount={balance[member]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
