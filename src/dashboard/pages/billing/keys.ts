/** Keys of the billing queries; the overview reads settings and invoices as well. */
export const BILLING_KEY = ['billing'] as const;
export const SETTINGS_KEY = [...BILLING_KEY, 'settings'] as const;
export const INVOICES_KEY = [...BILLING_KEY, 'invoices'] as const;
export const STATEMENTS_KEY = [...BILLING_KEY, 'statements'] as const;

/** Key of the newest invoices, which include all open ones. */
export const NEWEST_INVOICES_KEY = [...INVOICES_KEY, 'newest'] as const;

/** Key of the query that holds one invoice. */
export const invoiceKey = (number: string) => [...BILLING_KEY, 'invoice', number] as const;
