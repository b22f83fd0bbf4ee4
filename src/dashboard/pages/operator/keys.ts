/** Keys of the operator queries; invalidating `operator` reloads all of them. */
export const OPERATOR_KEY = ['operator'] as const;
export const ACCOUNTS_KEY = [...OPERATOR_KEY, 'accounts'] as const;
export const PLANS_KEY = [...OPERATOR_KEY, 'plans'] as const;
export const NODES_KEY = [...OPERATOR_KEY, 'nodes'] as const;
export const OPERATED_INVOICES_KEY = [...OPERATOR_KEY, 'invoices'] as const;
export const OPEN_REQUESTS_KEY = [...OPERATOR_KEY, 'limit-requests'] as const;

/** Key of the query that holds one account. */
export const accountKey = (id: string) => [...OPERATOR_KEY, 'account', id] as const;

/** Key of the query that holds one invoice of any account. */
export const operatedInvoiceKey = (number: string) => [...OPERATOR_KEY, 'invoice', number] as const;
