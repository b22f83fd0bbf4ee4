import type { OperatedAccount } from '../../../../../generated/account/types.ts';

/** The open dialog that changes an account. */
export type AccountDialog =
  | { readonly kind: 'plan' | 'credit' | 'payment' | 'billing' | 'setup-link' }
  | { readonly kind: 'limit'; readonly limit: 'wallet_create' | 'wallet_use' };

/** Props of the dialogs of an account. */
export type AccountDialogProps = {
  readonly shown: OperatedAccount;
  /** Called with the changed account. */
  readonly onChanged: (changed: OperatedAccount) => void;
  /** Called when the account has changed and must be reloaded. */
  readonly onStale: () => void;
  readonly onClose: () => void;
};
