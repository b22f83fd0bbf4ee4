import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { OperatedAccount, AccountBalance } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { useScopes } from '../../../session/session.tsx';
import { ACCOUNTS_KEY, accountKey, OPERATED_INVOICES_KEY, OPERATOR_KEY, PLANS_KEY } from '../keys.ts';
import type { AccountDialog, AccountDialogProps } from './account-dialog.ts';
import { AccountBilling } from './account-billing.tsx';
import { AccountLimits } from './account-limits.tsx';
import { ListPage } from '../../../parts/list-page.tsx';
import { invoiceColumns } from '../../billing/invoices/invoice-columns.tsx';
import { BookPaymentDialog } from './book-payment-dialog.tsx';
import { SetBillingDialog } from './set-billing-dialog.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { PlanSelect } from '../plan-select.tsx';
import { formatUsd } from '../../../parts/format-number.ts';
import { Field } from '../../../parts/field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Secret } from '../../../parts/secret.tsx';
import { LIMIT_TEXTS } from '../../settings/limit-texts.ts';

/** An account as an operator sees it: plan, limits, money and invoices. */
export function AccountPage({ id }: { readonly id: string }) {
  const read = useQuery({
    queryKey: accountKey(id),
    queryFn: ({ signal }) => account.readAccount(id, { signal }),
  });
  return (
    <Page
      title={read.data?.name ?? 'Account'}
      lead="An account of this server: plan, limits, money and invoices."
    >
      <p>
        <Link href="/operator/accounts">All accounts</Link>
      </p>
      {read.isError && (
        <ErrorNotice error={read.error} operation={['Operators', 'readAccount']}>
          <Button type="button" onClick={() => void read.refetch()}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      {read.isPending && (
        <section className="panel" aria-busy="true">
          <span className="skeleton skeleton-title" />
        </section>
      )}
      {read.data !== undefined && <AccountPanels shown={read.data} />}
    </Page>
  );
}

function AccountPanels({ shown }: { readonly shown: OperatedAccount }) {
  const [dialog, setDialog] = useState<AccountDialog>();
  const mayManage = useScopes('operator:manage');
  const mayBook = useScopes('operator:payments');
  const client = useQueryClient();
  const { account_id, created_at, operates } = shown;
  const open = mayManage ? setDialog : undefined;
  return (
    <>
      <section className="panel" aria-labelledby="account">
        <div className="panel-head">
          <h2 id="account">Account {operates && <Badge tone="warn">operates this server</Badge>}</h2>
          {mayManage && (
            <Button type="button" onClick={() => setDialog({ kind: 'setup-link' })}>
              Create a set-up link
            </Button>
          )}
        </div>
        <dl className="facts facts-wide">
          <div>
            <dt>Account id</dt>
            <dd className="copyable">
              <code>{account_id}</code>
              <CopyButton text={account_id} label="Copy the account id" />
            </dd>
          </div>
          <div>
            <dt>Created</dt>
            <dd>
              <Time at={created_at} />
            </dd>
          </div>
        </dl>
      </section>
      <AccountLimits shown={shown} onOpen={open} />
      <AccountBilling balance={shown.balance} onOpen={open} />
      <AccountMoney balance={shown.balance} onOpen={open} mayBook={mayBook} />
      <AccountInvoices accountId={account_id} />
      {dialog !== undefined && (
        <AccountDialogs
          dialog={dialog}
          shown={shown}
          onChanged={(changed) => {
            client.setQueryData(accountKey(account_id), changed);
            void client.invalidateQueries({ queryKey: ACCOUNTS_KEY });
            void client.invalidateQueries({ queryKey: PLANS_KEY });
            void client.invalidateQueries({ queryKey: OPERATED_INVOICES_KEY });
            setDialog(undefined);
          }}
          onStale={() => {
            void client.invalidateQueries({ queryKey: OPERATOR_KEY });
            setDialog(undefined);
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS = invoiceColumns('/operator/invoices');
const SHOWN = 6;

/** The newest invoices of an account. */
function AccountInvoices({ accountId }: { readonly accountId: string }) {
  return (
    <section className="panel" aria-labelledby="invoices">
      <div className="panel-head">
        <h2 id="invoices">Invoices</h2>
        <Link href={`/operator/invoices?account=${accountId}`}>All of its invoices</Link>
      </div>
      <ListPage
        caption="Invoices"
        queryKey={[...OPERATED_INVOICES_KEY, { accountId }]}
        read={(query, signal) => account.listAllInvoices({ ...query, account_id: accountId }, { signal })}
        rowsOf={({ invoices }) => invoices}
        columns={COLUMNS}
        keyOf={({ number }) => number}
        operation={['Operators', 'listAllInvoices']}
        empty={{ title: 'No invoices' }}
        limit={SHOWN}
      />
    </section>
  );
}

/** The dialog that is open. */
function AccountDialogs({ dialog, ...props }: AccountDialogProps & { readonly dialog: AccountDialog }) {
  switch (dialog.kind) {
    case 'plan':
      return <ChangePlanDialog {...props} />;
    case 'credit':
      return <CreditDialog {...props} />;
    case 'payment':
      return (
        <BookPaymentDialog
          accountId={props.shown.account_id}
          accountName={props.shown.name}
          onBooked={props.onStale}
          onClose={props.onClose}
        />
      );
    case 'billing':
      return <SetBillingDialog {...props} />;
    case 'limit':
      return <SetLimitDialog {...props} limit={dialog.limit} />;
    case 'setup-link':
      return <SetupLinkDialog {...props} />;
    default:
      return dialog satisfies never;
  }
}

/** Sets the plan of an account. */
function ChangePlanDialog({ shown, onChanged, onClose }: AccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (plan: string) => withFreshFactor(() => account.setAccountPlan(shown.account_id, { plan })),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`Plan of ${shown.name}`}
      description="It applies from the next request on, in every process of the server."
      action="Change the plan"
      call={change}
      operation={['Operators', 'setAccountPlan']}
      onSubmit={(form) => change.mutate(readForm(form, 'plan'))}
      onClose={onClose}
    >
      <PlanSelect chosen={shown.plan.name} />
    </FormDialog>
  );
}

type AccountMoneyProps = {
  readonly balance: AccountBalance;
  /** Absent if the member may not change it. */
  readonly onOpen: ((dialog: AccountDialog) => void) | undefined;
  /** True if the member may book payments. */
  readonly mayBook: boolean;
};

/** The exact amounts of an account, and buttons to add to them. The credit limit is shown with the billing mode. */
function AccountMoney({ balance, onOpen, mayBook }: AccountMoneyProps) {
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

/** Adds money to the balance of an account, once for each reference. */
function CreditDialog({ shown, onChanged, onClose }: AccountDialogProps) {
  const withFreshFactor = useFreshCall();
  const credit = useMutation({
    mutationFn: (body: Parameters<typeof account.creditAccount>[1]) =>
      withFreshFactor(() => account.creditAccount(shown.account_id, body)),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`Add credit to ${shown.name}`}
      description="The same amount with the same reference is booked only once."
      action="Add the credit"
      call={credit}
      operation={['Operators', 'creditAccount']}
      onSubmit={(form) =>
        credit.mutate({
          amount_usd: readForm(form, 'amount').trim(),
          reference: readForm(form, 'reference').trim(),
        })
      }
      onClose={onClose}
    >
      <Field
        name="amount"
        label="Amount in USD"
        hint="Such as 25 or 0.50. A negative amount takes credit back."
        inputMode="decimal"
        pattern="-?[0-9]{1,9}([.][0-9]{1,6})?"
        autoComplete="off"
        required
      />
      <Field
        name="reference"
        label="Reference"
        hint="Your name for the credit, such as an invoice number."
        maxLength={100}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}

/** Creates a link that makes its user an owner of the account, and shows it once. */
function SetupLinkDialog({ shown, onClose }: Pick<AccountDialogProps, 'shown' | 'onClose'>) {
  const withFreshFactor = useFreshCall();
  const create = useMutation({
    mutationFn: () => withFreshFactor(() => account.createAccountSetupLink(shown.account_id)),
    gcTime: 0,
  });
  if (create.data !== undefined) {
    return (
      <Dialog key="link" title={`Set-up link of ${shown.name}`} onClose={onClose} isSticky>
        <p>
          The person who opens it becomes an owner of {shown.name}. It works once, until{' '}
          <Time at={create.data.expires_at} />.
        </p>
        <Secret text={create.data.link} label="Copy the link" />
        <div className="actions">
          <Button type="button" kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`Create a set-up link for ${shown.name}?`}
      description="The person who opens it becomes an owner of the account. Earlier links stop working."
      onClose={onClose}
    >
      <ErrorNotice error={create.error} operation={['Operators', 'createAccountSetupLink']} />
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <Button type="button" kind="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
          Create the link
        </Button>
      </div>
    </Dialog>
  );
}

type SetLimitDialogProps = AccountDialogProps & { readonly limit: 'wallet_create' | 'wallet_use' };

const MOST = 1_000_000;

/** Sets a limit of an account, or resets it to its default. */
function SetLimitDialog({ shown, limit, onChanged, onClose }: SetLimitDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (requests: number | undefined) =>
      withFreshFactor(() =>
        account.setAccountLimits(shown.account_id, { limit, ...(requests !== undefined && { requests }) }),
      ),
    onSuccess: onChanged,
  });
  const { title, wanted } = LIMIT_TEXTS[limit];
  const current = shown[`${limit}_limit`];
  return (
    <FormDialog
      title={`${title}: limit of ${shown.name}`}
      description="It applies from the next request on, in every process of the server."
      action="Set the limit"
      call={change}
      operation={['Operators', 'setAccountLimits']}
      moreActions={
        current.source === 'store' && (
          <Button
            type="button"
            kind="quiet"
            isBusy={change.isPending}
            onClick={() => change.mutate(undefined)}
          >
            Reset to the default
          </Button>
        )
      }
      onSubmit={(form) => change.mutate(Number(readForm(form, 'requests')))}
      onClose={onClose}
    >
      <Field
        name="requests"
        type="number"
        label={wanted}
        min={1}
        max={MOST}
        step={1}
        defaultValue={current.requests}
        required
      />
    </FormDialog>
  );
}
