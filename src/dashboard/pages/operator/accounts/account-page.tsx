import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { OperatedAccount } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Page } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { useScopes } from '../../../session/session.tsx';
import { ACCOUNTS_KEY, accountKey, OPERATED_INVOICES_KEY, OPERATOR_KEY, PLANS_KEY } from '../keys.ts';
import type { AccountDialog } from './account-dialog.ts';
import { AccountBilling } from './account-billing.tsx';
import { AccountDialogs } from './account-dialogs.tsx';
import { AccountInvoices } from './account-invoices.tsx';
import { AccountLimits } from './account-limits.tsx';
import { AccountMoney } from './account-money.tsx';

/** An account as its operator sees it: plan, limits, money and invoices. */
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
