import type { AccountDialog, AccountDialogProps } from './account-dialog.ts';
import { BookPaymentDialog } from './book-payment-dialog.tsx';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { CreditDialog } from './credit-dialog.tsx';
import { SetBillingDialog } from './set-billing-dialog.tsx';
import { SetLimitDialog } from './set-limit-dialog.tsx';
import { SetupLinkDialog } from './setup-link-dialog.tsx';

/** The dialog that is open. */
export function AccountDialogs({
  dialog,
  ...props
}: AccountDialogProps & { readonly dialog: AccountDialog }) {
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
