import type { AccountDialog, AccountDialogProps } from './account-dialog.ts';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { CreditDialog } from './credit-dialog.tsx';
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
    case 'limit':
      return <SetLimitDialog {...props} limit={dialog.limit} />;
    case 'setup-link':
      return <SetupLinkDialog {...props} />;
    default:
      return dialog satisfies never;
  }
}
