import type {
  AccessToken,
  Account,
  ApiKey,
  Availability,
  BillingSettings,
  ListedInvoice,
  Network,
  Session,
  Webhook,
} from '../../../../generated/account/types.ts';

/** The facts that the overview has read; undefined if the member may not read them, or if reading failed. */
export type OverviewFacts = {
  readonly session: Pick<Session, 'has_second_factor' | 'backup_codes_left'>;
  readonly networks?: readonly Network[] | undefined;
  readonly account?: Pick<Account, 'billing' | 'balance'> | undefined;
  readonly settings?: AttentionSettings | undefined;
  /** The newest invoices. */
  readonly invoices?: readonly ListedInvoice[] | undefined;
  readonly keys?: readonly ApiKey[] | undefined;
  readonly tokens?: readonly AccessToken[] | undefined;
  /** Calls that the plan did not allow in the last day. */
  readonly refused?: number | undefined;
  readonly webhooks?: readonly Webhook[] | undefined;
  readonly availability?: Availability | undefined;
  readonly openRequests?: number | undefined;
  /** Accounts of the server that need a credit limit. */
  readonly accountsInNeed?: number | undefined;
  readonly nowMs: number;
};

/** The members of the billing settings that may need attention. */
export type AttentionSettings = Pick<
  BillingSettings,
  'notify_below_usd' | 'below_month' | 'month_charged_usd' | 'invoice_threshold_usd'
>;
