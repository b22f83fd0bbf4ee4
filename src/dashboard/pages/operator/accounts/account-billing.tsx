import type { AccountBalance } from '../../../../../generated/account/types.ts';
import { PLANS } from '../../../../../generated/plans.ts';
import { Button } from '../../../parts/button.tsx';
import { formatUsd, microOf } from '../../../parts/format-number.ts';
import { SpentBar } from '../../billing/overview/spent-bar.tsx';
import type { AccountDialog } from './account-dialog.ts';
import { BILLING_MODES } from './billing-modes.ts';
import '../../billing/billing-page.css';

type AccountBillingProps = {
  readonly balance: AccountBalance;
  /** Absent if the member may not change it. */
  readonly onOpen: ((dialog: AccountDialog) => void) | undefined;
};

const THRESHOLD = BigInt(PLANS.billing.invoice_threshold.micro_usd);

/** The billing mode of an account, its credit limit, and its charges of this month. */
export function AccountBilling({ balance, onOpen }: AccountBillingProps) {
  const { billing, mode, granted_credit_limit_usd, month_charged_usd, needs_credit_limit } = balance;
  return (
    <section className="panel" aria-labelledby="billing">
      <div className="panel-head">
        <h2 id="billing">How it pays</h2>
        {onOpen !== undefined && (
          <Button type="button" onClick={() => onOpen({ kind: 'billing' })}>
            Set how it pays
          </Button>
        )}
      </div>
      {needs_credit_limit && (
        <p className="notice notice-warn">
          It was charged more than the invoice threshold this month, but still pays from its balance: without
          a credit limit it is not invoiced.
        </p>
      )}
      <dl className="facts facts-wide">
        <div>
          <dt>Now</dt>
          <dd>{billing === 'prepaid' ? 'From its balance' : 'By invoice'}</dd>
        </div>
        <div>
          <dt>Chosen</dt>
          <dd>{BILLING_MODES[mode]}</dd>
        </div>
        <div>
          <dt>Credit limit while it is invoiced</dt>
          <dd className="number">{formatUsd(granted_credit_limit_usd)}</dd>
        </div>
      </dl>
      <SpentBar
        title="Charged this month (UTC)"
        spent={microOf(month_charged_usd)}
        limit={THRESHOLD}
        limitName="the invoice threshold"
      />
    </section>
  );
}
