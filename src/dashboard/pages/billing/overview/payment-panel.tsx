import type { Balance, BillingSettings } from '../../../../../generated/account/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Usd } from '../../../parts/number.tsx';
import { microOf } from '../../../parts/usd.ts';
import { describeTerms } from './describe-terms.ts';
import { SpentBar } from './spent-bar.tsx';

type PaymentPanelProps = {
  readonly settings: BillingSettings | undefined;
  readonly balance: Balance | undefined;
  readonly error: unknown;
};

const CHARGED = 'Charged this month (UTC)';

/** The way the account pays, and how far it is from paying otherwise. */
export function PaymentPanel({ settings, balance, error }: PaymentPanelProps) {
  return (
    <section className="panel" aria-labelledby="payment">
      <div className="panel-head">
        <h2 id="payment">How the account pays</h2>
        {settings !== undefined && (
          <Badge tone="good">{settings.billing === 'prepaid' ? 'from its balance' : 'by invoice'}</Badge>
        )}
      </div>
      <ErrorNotice error={error} operation={['Billing', 'getBillingSettings']} />
      {settings !== undefined && <Terms settings={settings} balance={balance} />}
    </section>
  );
}

type TermsProps = { readonly settings: BillingSettings; readonly balance: Balance | undefined };

function Terms({ settings, balance }: TermsProps) {
  const { now, later } = describeTerms(settings);
  const { month_charged_usd, invoice_threshold_usd } = settings;
  return (
    <>
      <p>{now}</p>
      <p className="muted">{later}</p>
      {settings.mode === 'by_volume' ? (
        <SpentBar
          title={CHARGED}
          spent={microOf(month_charged_usd)}
          limit={microOf(invoice_threshold_usd)}
          limitName="the invoice threshold"
        />
      ) : (
        <p>
          {CHARGED}: <Usd amount={month_charged_usd} />
        </p>
      )}
      {settings.billing === 'invoiced' && balance !== undefined && (
        <SpentBar
          title="Owed"
          spent={owedOf(balance)}
          limit={microOf(balance.credit_limit_usd)}
          limitName="the credit limit"
        />
      )}
    </>
  );
}

function owedOf({ balance_usd }: Balance): bigint {
  const balance = microOf(balance_usd);
  return balance < 0n ? -balance : 0n;
}
