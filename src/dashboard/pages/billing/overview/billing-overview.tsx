import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useState, useRef } from 'react';
import { account } from '../../../calls/account-client.ts';
import { useBilling } from '../use-billing.ts';
import type { Balance, ListedInvoice, BillingSettings } from '../../../../../generated/account/types.ts';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Usd, Money } from '../../../parts/number.tsx';
import { Table } from '../../../parts/table.tsx';
import { invoiceColumns } from '../invoices/invoice-columns.tsx';
import { isOpen } from '../invoices/invoice-standing.ts';
import { Badge } from '../../../parts/badge.tsx';
import { describeTerms } from './describe-terms.ts';
import { SpentBar } from './spent-bar.tsx';
import { Button } from '../../../parts/button.tsx';
import { formatUsd, microOf } from '../../../parts/format-number.ts';
import { Lines } from '../../../parts/lines.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { useScopes } from '../../../session/session.tsx';
import { SETTINGS_KEY } from '../keys.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { TextArea, Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { Icon } from '../../../parts/icon.tsx';

/** The balance, terms, open invoices and settings of the account. */
export function BillingOverview() {
  const own = useQuery({ queryKey: ['account'], queryFn: ({ signal }) => account.getAccount({ signal }) });
  const { settings, invoices } = useBilling({ isAllowed: true });
  // All at once, because late content would move the content below it.
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

type BalanceFactsProps = { readonly balance: Balance | undefined; readonly error: unknown };

const LINES: readonly { readonly title: string; readonly member: keyof Balance }[] = [
  { title: 'Balance', member: 'balance_usd' },
  { title: 'Credit limit', member: 'credit_limit_usd' },
  { title: 'Reserved for work under way', member: 'reserved_usd' },
  { title: 'Charged so far', member: 'charged_usd' },
];

/** The exact amounts of the account. */
function BalanceFacts({ balance, error }: BalanceFactsProps) {
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

type OpenInvoicesProps = {
  /** The newest invoices, newest first. */
  readonly invoices: readonly ListedInvoice[] | undefined;
  readonly error: unknown;
};

const COLUMNS = invoiceColumns('/billing/invoices');

/** The open invoices, oldest first, and their sum. */
function OpenInvoices({ invoices, error }: OpenInvoicesProps) {
  const open = (invoices ?? []).filter(isOpen).toReversed();
  const owed = open.reduce((sum, { outstanding_usd }) => sum + microOf(outstanding_usd), 0n);
  return (
    <section className="panel" aria-labelledby="open-invoices">
      <div className="panel-head">
        <h2 id="open-invoices">Invoices to pay</h2>
        <Link href="/billing/invoices">All invoices</Link>
      </div>
      <ErrorNotice error={error} operation={['Billing', 'listInvoices']} />
      {invoices !== undefined && open.length === 0 && <p className="muted">Nothing is left to pay.</p>}
      {open.length > 0 && (
        <>
          <Table caption="Invoices to pay" columns={COLUMNS} rows={open} keyOf={({ number }) => number} />
          <p>
            Together{' '}
            <strong>
              <Money microUsd={owed} />
            </strong>
            . How to pay is on each invoice; deposits pay the oldest first.
          </p>
        </>
      )}
    </section>
  );
}

type PaymentPanelProps = {
  readonly settings: BillingSettings | undefined;
  readonly balance: Balance | undefined;
  readonly error: unknown;
};

const CHARGED = 'Charged this month (UTC)';

/** The billing terms of the account, and the progress towards a change of terms. */
function PaymentPanel({ settings, balance, error }: PaymentPanelProps) {
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

/** The low-balance notices of the account, and the recipient of its invoices. */
function SettingsPanel({ settings }: { readonly settings: BillingSettings }) {
  const [shown, setShown] = useState<'notices' | 'recipient'>();
  const mayManage = useScopes('billing:manage');
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const dialog = {
    settings,
    onSaved: (saved: BillingSettings): void => {
      client.setQueryData(SETTINGS_KEY, saved);
      close();
    },
    onClose: close,
  };
  const { notify_below_usd: notices, recipient } = settings;
  return (
    <section className="panel" aria-labelledby="billing-settings">
      <div className="panel-head">
        <h2 id="billing-settings">Settings</h2>
        <ReferenceLink operation={['Billing', 'changeBillingSettings']} />
      </div>
      <div className="setting">
        <p>
          <strong>Notices of a low balance</strong>
          <br />
          <span className="muted">
            {notices.length === 0
              ? 'None.'
              : `When less than ${notices.map(formatUsd).join(', less than ')} can be spent.`}
          </span>
        </p>
        {mayManage && (
          <Button type="button" onClick={() => setShown('notices')}>
            Change the notices
          </Button>
        )}
      </div>
      <div className="setting">
        <div>
          <strong>Recipient of invoices</strong>
          <address className="muted">
            {recipient === '' ? (
              'Not set: invoices only have the name of the account.'
            ) : (
              <Lines text={recipient} />
            )}
          </address>
        </div>
        {mayManage && (
          <Button type="button" onClick={() => setShown('recipient')}>
            Change the recipient
          </Button>
        )}
      </div>
      {shown === 'notices' && <NoticesDialog {...dialog} />}
      {shown === 'recipient' && <RecipientDialog {...dialog} />}
    </section>
  );
}

const MOST_CHARACTERS = 500;

/** Sets the recipient of future invoices. */
function RecipientDialog({ settings, onSaved, onClose }: SettingsDialogProps) {
  const save = useMutation({
    mutationFn: (recipient: string): Promise<BillingSettings> => account.changeBillingSettings({ recipient }),
    onSuccess: onSaved,
  });
  return (
    <FormDialog
      title="Recipient of invoices"
      description="It appears on future invoices. Issued invoices do not change."
      action="Save"
      call={save}
      operation={['Billing', 'changeBillingSettings']}
      onSubmit={(form) => save.mutate(readLines(readForm(form, 'recipient')))}
      onClose={onClose}
    >
      <TextArea
        name="recipient"
        label="Name and address"
        hint="Line by line, as on the invoice. Add a tax number if needed."
        rows={5}
        maxLength={MOST_CHARACTERS}
        defaultValue={settings.recipient}
        autoComplete="off"
      />
    </FormDialog>
  );
}

/** Removes spaces at line ends, and unifies line breaks. */
function readLines(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** The limit of the account service. */
const MOST_NOTICES = 5;

/** Sets the amounts below which the account gets a notice. */
function NoticesDialog({ settings, onSaved, onClose }: SettingsDialogProps) {
  const [rows, setRows] = useState<readonly number[]>(settings.notify_below_usd.map((_, row) => row));
  const next = useRef(rows.length);
  const save = useMutation({
    mutationFn: (amounts: readonly string[]) =>
      account.changeBillingSettings({ notify_below_usd: [...amounts] }),
    onSuccess: onSaved,
  });
  const add = (): void => {
    setRows([...rows, next.current]);
    next.current += 1;
  };
  return (
    <FormDialog
      title="Notices of a low balance"
      description="When the account can spend less than one of these amounts, the overview shows a notice, the event account.balance.low is recorded, and owners and billing members get an email if the server sends email."
      action="Save"
      call={save}
      operation={['Billing', 'changeBillingSettings']}
      onSubmit={(form) => save.mutate(readAmounts(form))}
      onClose={onClose}
    >
      {rows.length === 0 && <p>Without an amount there are no notices.</p>}
      {rows.map((row, at) => (
        <div key={row} className="field-row">
          <Field
            name="amount"
            label={`Amount ${at + 1} in USD`}
            inputMode="decimal"
            pattern="[0-9]{1,9}([.][0-9]{1,6})?"
            title="Digits, such as 25 or 0.50"
            defaultValue={settings.notify_below_usd[row]}
            autoFocus={row >= settings.notify_below_usd.length}
            autoComplete="off"
            required
          />
          <button
            type="button"
            className="icon-button"
            title={`Remove amount ${at + 1}`}
            onClick={() => setRows(rows.filter((each) => each !== row))}
          >
            <Icon name="close" />
            <span className="only-read">Remove amount {at + 1}</span>
          </button>
        </div>
      ))}
      {rows.length < MOST_NOTICES && (
        <div>
          <Button type="button" onClick={add}>
            Add an amount
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

function readAmounts(form: HTMLFormElement): readonly string[] {
  return new FormData(form).getAll('amount').map((amount) => String(amount).trim());
}

/** Props of the dialogs that change the billing settings. */
type SettingsDialogProps = {
  readonly settings: BillingSettings;
  /** Called with the saved settings. */
  readonly onSaved: (saved: BillingSettings) => void;
  readonly onClose: () => void;
};
