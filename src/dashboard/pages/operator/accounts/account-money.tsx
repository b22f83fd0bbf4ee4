import type { AccountBalance } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { formatUsd } from '../../../parts/format-number.ts';
import type { AccountDialog } from './account-dialog.ts';

type AccountMoneyProps = {
  readonly balance: AccountBalance;
  /** Absent: the member may not change it. */
  readonly onOpen: ((dialog: AccountDialog) => void) | undefined;
  /** The member may book payments. */
  readonly mayBook: boolean;
};

/** The money of an account, exactly, and how to add to it. What it may owe is below how it pays. */
export function AccountMoney({ balance, onOpen, mayBook }: AccountMoneyProps) {
  const amounts = [
    { title: 'Available', amount: balance.available_usd },
    { title: 'Balance', amount: balance.balance_usd },
    { title: 'Reserved', amount: balance.reserved_usd },
    { title: 'Charged so far', amount: balance.charged_usd },
  ];
  return (
    <section className="panel" aria-labelledby="money">
      <div className="panel-head">
        <h2 id="money">Money</h2>
        {onOpen !== undefined && (
          <div className="actions">
            <Button type="button" onClick={() => onOpen({ kind: 'credit' })}>
              Add credit
            </Button>
            {mayBook && (
              <Button type="button" onClick={() => onOpen({ kind: 'payment' })}>
                Book a payment
              </Button>
            )}
          </div>
        )}
      </div>
      <dl className="facts facts-wide">
        {amounts.map(({ title, amount }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd className="number">{formatUsd(amount)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
