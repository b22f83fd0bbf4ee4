import type { OperatedAccount } from '../../../../../generated/account/types.ts';

/** What is changed of an account. */
export type AccountDialog =
  | { readonly kind: 'plan' | 'credit' | 'payment' | 'billing' | 'setup-link' }
  | { readonly kind: 'limit'; readonly limit: 'wallet_create' | 'wallet_use' };

/** What the dialogs of an account are given. */
export type AccountDialogProps = {
  readonly shown: OperatedAccount;
  /** Called with the account as it is then. */
  readonly onChanged: (changed: OperatedAccount) => void;
  /** Called when the account has changed, and has to be read anew. */
  readonly onStale: () => void;
  readonly onClose: () => void;
};
