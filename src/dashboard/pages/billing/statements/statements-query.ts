import { account } from '../../../calls/account-client.ts';
import { STATEMENTS_KEY } from '../keys.ts';

/** The operation that lists statements, by its tag and name in the reference. */
export const LIST_STATEMENTS = ['Billing', 'listStatements'] as const;

/** The query of all statements, newest first. */
export const statementsQuery = {
  queryKey: STATEMENTS_KEY,
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    (await account.listStatements({ signal })).statements,
};
