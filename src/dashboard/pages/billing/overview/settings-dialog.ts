import type { BillingSettings } from '../../../../../generated/account/types.ts';

/** Props of the dialogs that change the billing settings. */
export type SettingsDialogProps = {
  readonly settings: BillingSettings;
  /** Called with the settings as they are then. */
  readonly onSaved: (saved: BillingSettings) => void;
  readonly onClose: () => void;
};
