/** What happened to the money of an account that somebody is told, once it is committed. */
export type BillingNotice = { readonly accountId: string } & (
  | { readonly kind: 'invoiced' | 'below' | 'prepaid' }
  /** For those who operate the server: the account has no credit limit. */
  | { readonly kind: 'threshold' }
  /** It can spend less than an amount that it chose; both in micro-USD. */
  | { readonly kind: 'balance'; readonly threshold: bigint; readonly available: bigint }
  /** Of an invoice, with what is left to pay in micro-USD. */
  | { readonly kind: 'invoice'; readonly number: string; readonly due: bigint; readonly dueOn: string }
);
