import { useQuery } from '@tanstack/react-query';
import { account } from '../../../calls/account-client.ts';
import { useBilling } from '../use-billing.ts';
import { BalanceFacts } from './balance-facts.tsx';
import { OpenInvoices } from './open-invoices.tsx';
import { PaymentPanel } from './payment-panel.tsx';
import { SettingsPanel } from './settings-panel.tsx';

/** The balance of the account, how it pays, its invoices to pay, and its settings. */
export function BillingOverview() {
  const own = useQuery({ queryKey: ['account'], queryFn: ({ signal }) => account.getAccount({ signal }) });
  const { settings, invoices } = useBilling({ isAllowed: true });
  // All at once: what is read last would move what stands below it.
  if ([own, settings, invoices].some(({ isLoading }) => isLoading)) {
    return (
      <div className="panel billing-wait" aria-busy="true">
        <span className="skeleton" />
        <span className="skeleton" />
        <span className="skeleton" />
      </div>
    );
  }
  return (
    <>
      <div className="billing-pair">
        <BalanceFacts balance={own.data?.balance} error={own.error} />
        <PaymentPanel settings={settings.data} balance={own.data?.balance} error={settings.error} />
      </div>
      <OpenInvoices invoices={invoices.data} error={invoices.error} />
      {settings.data !== undefined && <SettingsPanel settings={settings.data} />}
    </>
  );
}
