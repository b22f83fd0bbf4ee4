import type { OperatedAccount } from '../../../../../generated/account/types.ts';
import { ChangePlanDialog } from './change-plan-dialog.tsx';
import { CreditDialog } from './credit-dialog.tsx';
import { SetLimitDialog } from './set-limit-dialog.tsx';
import { SetupLinkDialog } from './setup-link-dialog.tsx';

/** What is changed of an account. */
export type AccountDialog =
  | { readonly kind: 'plan' | 'credit' | 'setup-link' }
  | { readonly kind: 'limit'; readonly limit: 'wallet_create' | 'wallet_use' };

/** What the dialogs of an account are given. */
export type AccountDialogProps = {
  readonly shown: OperatedAccount;
  /** Called with the account as it is then. */
  readonly onChanged: (changed: OperatedAccount) => void;
  readonly onClose: () => void;
};

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
